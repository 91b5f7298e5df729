"""Sorts names as people do: Åberg before Adams, Świątek before Tanaka.

The name is that of PostgreSQL's collation of Unicode's root order, so that a query sorts in the same way on both databases.
"""

import unicodedata
from functools import lru_cache

NAME = "und-x-icu"
# letters that Unicode sorts like others, but does not decompose
LIKE = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe"})


def compare(one: str, other: str) -> int:
    first, second = _key(one), _key(other)
    return (first > second) - (first < second)


@lru_cache(maxsize=1 << 14)
def _key(text: str) -> tuple[str, ...]:
    """The letters; then their accents; then their case, where small letters come first."""
    accented = unicodedata.normalize("NFKD", text.casefold().translate(LIKE))
    letters = "".join(letter for letter in accented if not unicodedata.combining(letter))
    return letters, accented, text.swapcase(), text
