"""Text formatting of the player. Labels and numbers come from a student's run and must be inert.

Control characters and bidirectional marks are escaped, so that different names look different.
"""

import math
import re
import unicodedata
from dataclasses import dataclass

from autograder.judge.array_text import nested

DIGITS = 6
EXACT = 17
MINUS = "−"
_NUMBER = re.compile(r"(?<![\w.)\]])-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]*\w)")
_LOST_SIGN = re.compile(r"(?<![\w)\]])-(?=inf\b)")


@dataclass(frozen=True)
class Numeral:
    """A number as shown, and in full for the tooltip."""

    short: str
    full: str

    @property
    def is_cut(self) -> bool:
        return self.short != self.full


def plain(text: str) -> str:
    """Escape characters that are not printable."""
    return text if text.isprintable() else "".join(_spelled(character) for character in text)


def _spelled(character: str) -> str:
    if character in "\n\t\r":
        return " "
    if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
        return character
    return f"\\u{ord(character):04x}"


def numeral(text: str, *, digits: int = DIGITS, room: int | None = None) -> Numeral:
    """Format a scalar or the entries of an array with at most `digits` significant digits each."""
    inert = plain(text)
    short = _signed(_NUMBER.sub(lambda match: _rounded(match.group(), digits), inert))
    return Numeral(cut(short, room) if room else short, _signed(inert))


def fitted(text: str, room: int) -> str:
    """Format a number with as many digits as fit. The exponent is never cut off."""
    for digits in range(DIGITS, 0, -1):
        short = numeral(text, digits=digits).short
        if len(short) <= room:
            return short
    return cut(numeral(text).short, room)


def pair(expected: str, given: str, *, room: int | None = None) -> tuple[Numeral, Numeral]:
    """Format two differing numbers with enough digits to show the difference."""
    for digits in range(DIGITS, EXACT + 1):
        both = numeral(expected, digits=digits, room=room), numeral(given, digits=digits, room=room)
        if both[0].short != both[1].short:
            break
    else:
        return numeral(expected, room=room), numeral(given, room=room)
    return both


def of_array(text: str, extents: tuple[int, ...] | None) -> str:
    """The entries of an array, with brackets for each axis: [[1, 2]] for [1, 2] of a 1x2 array. Unchanged if some are missing."""
    if extents is None or len(extents) < 2 or not (text.startswith("[") and text.endswith("]")) or "[" in text[1:]:
        return text
    entries = text[1:-1].split(", ")
    return nested(entries, extents, len(entries)) if len(entries) == math.prod(extents) else text


def sentence(text: str) -> str:
    return numeral(text).short


def spoken(text: str) -> str:
    """Text for screen readers, many of which skip the minus sign."""
    return text.replace(MINUS, "minus ")


def cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"


def shape(extents: tuple[int, ...] | None) -> str:
    if extents is None:
        return ""
    return "×".join(map(str, extents)) or "scalar"


def _rounded(number: str, digits: int) -> str:
    mantissa, _, exponent = number.lower().partition("e")
    significant = mantissa.replace("-", "").replace(".", "").lstrip("0")
    if len(significant) <= digits and not exponent:
        return number
    mantissa, _, exponent = f"{float(number):.{digits}g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa


def _signed(text: str) -> str:
    text = _LOST_SIGN.sub(MINUS, text)
    return _NUMBER.sub(lambda match: match.group().replace("-", MINUS), text)
