"""How a person's names are put together: most write the given name first, Chinese, Japanese and Korean the family name."""

import unicodedata

FAMILY_FIRST = ("CJK UNIFIED", "CJK COMPATIBILITY", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")


def is_family_first(name: str) -> bool:
    """Whether a name is written in a script whose writers begin with the family name."""
    return any(unicodedata.name(letter, "").startswith(FAMILY_FIRST) for letter in name)


def full_name(first: str, last: str) -> str:
    """As somebody is called: "Ada Lovelace", "李 明"."""
    parts = (last, first) if is_family_first(last + first) else (first, last)
    return " ".join(part for part in parts if part).strip()


def listed_name(first: str, last: str) -> str:
    """As lists have it, sorted by the family name: "Lovelace, Ada", "李 明"."""
    if is_family_first(last + first):
        return full_name(first, last)
    return ", ".join(part for part in (last, first) if part)


def split_name(whole: str) -> tuple[str, str]:
    """First and last name of a whole one. A comma stands behind the last name; else the last word is the last name, or in a
    name that begins with it the first."""
    whole = " ".join(whole.split())
    if "," in whole:
        last, _, first = whole.partition(",")
    elif is_family_first(whole) and " " in whole:
        last, _, first = whole.partition(" ")
    else:
        first, _, last = whole.rpartition(" ")
        first, last = (first, last) if first else (last, "")
    return first.strip(), last.strip()
