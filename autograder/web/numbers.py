"""Number formatting for pages: a typographic minus and no more digits than needed."""

import re
from decimal import Decimal

MINUS = "−"
DIGITS = 6
_NUMBER = re.compile(r"(?<![\w.])-(?=\d|inf|nan)")


def points(value: float | Decimal | None) -> str:
    """Format points as 10, 7.5 or 90.58, or as a dash for None."""
    if value is None:
        return "–"
    text = f"{Decimal(str(value)):.2f}".rstrip("0").rstrip(".")
    return text.replace("-", MINUS)


def percent(share: float) -> str:
    """Format a share as a percentage with at most two decimals."""
    return f"{points(round(share * 100, 2))}%"


def quantity(number: int, noun: str) -> str:
    """Format a number with its noun: 1 student, 3 students."""
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def short(text: str) -> str:
    """Shorten the exact text of a number to DIGITS significant digits. Other text is returned unchanged."""
    try:
        value = float(text)
    except ValueError:
        return text
    shown = f"{value:.{DIGITS}g}" if len(text) > DIGITS + 2 else text
    return shown.replace("-", MINUS)


def pair(expected: str, given: str) -> tuple[str, str]:
    """Format two differing numbers with enough digits to show the difference."""
    left, right = short(expected), short(given)
    if left != right or expected == given:
        return left, right
    return expected.replace("-", MINUS), given.replace("-", MINUS)


def minus(text: str) -> str:
    """Replace the hyphen of every negative number in a sentence by a minus sign. Hyphens in words and code stay."""
    return _NUMBER.sub(MINUS, text)
