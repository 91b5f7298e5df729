"""Combines, splits and sorts personal names: most put the given name first, Chinese, Japanese and Korean ones the family name."""

import unicodedata

from django.db.models.functions import Collate

from autograder.sqlite import collation

FAMILY_FIRST = ("CJK UNIFIED", "CJK COMPATIBILITY", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")


def is_family_first(name: str) -> bool:
    """Return whether a name is written in a script in which the family name comes first."""
    return any(unicodedata.name(letter, "").startswith(FAMILY_FIRST) for letter in name)


def full_name(first: str, last: str) -> str:
    """Return the full name: "Ada Lovelace", "李 明"."""
    parts = (last, first) if is_family_first(last + first) else (first, last)
    return " ".join(part for part in parts if part).strip()


def listed_name(first: str, last: str) -> str:
    """Return the name for lists sorted by family name: "Lovelace, Ada", "李 明"."""
    if is_family_first(last + first):
        return full_name(first, last)
    return ", ".join(part for part in (last, first) if part)


def split_name(whole: str) -> tuple[str, str]:
    """Split a full name into first and last name.

    A comma follows the last name. Without a comma, the last word is the last name, or the first word in a script where the
    family name comes first.
    """
    whole = " ".join(whole.split())
    if "," in whole:
        last, _, first = whole.partition(",")
    elif is_family_first(whole) and " " in whole:
        last, _, first = whole.partition(" ")
    else:
        first, _, last = whole.rpartition(" ")
        first, last = (first, last) if first else (last, "")
    return first.strip(), last.strip()


def by_name(user: str = "user__") -> tuple[Collate | str, ...]:
    """The order of lists of people, as arguments of `order_by`."""
    return (*(Collate(f"{user}{part}", collation.NAME) for part in ("last_name", "first_name")), f"{user}username")
