"""Protects text in exported files from being interpreted as a formula by spreadsheets."""

FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r")


def begins_a_formula(text: str) -> bool:
    return text.lstrip(" \u00a0").startswith(FORMULA) or text.startswith(FORMULA)


def guarded(text: str) -> str:
    """Prefix a text that would be a formula with an apostrophe, which marks it as text."""
    return f"'{text}" if begins_a_formula(text) else text


def unguarded(text: str) -> str:
    """Undo `guarded`, for files that Gradus wrote."""
    return text[1:] if text.startswith("'") and begins_a_formula(text[1:]) else text
