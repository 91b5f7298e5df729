"""What a spreadsheet would take for a formula, and how that is kept from happening in files for people."""

FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r")


def begins_a_formula(text: str) -> bool:
    return text.lstrip(" \u00a0").startswith(FORMULA) or text.startswith(FORMULA)


def guarded(text: str) -> str:
    """An apostrophe in front, which spreadsheets take for "this is text"."""
    return f"'{text}" if begins_a_formula(text) else text


def unguarded(text: str) -> str:
    """What `guarded` was given, from a file that Gradus wrote."""
    return text[1:] if text.startswith("'") and begins_a_formula(text[1:]) else text
