"""Numbers as pages show them: a true minus, and no more digits than say something."""

import re
from decimal import Decimal

MINUS = "−"
DIGITS = 6
_NUMBER = re.compile(r"(?<![\w.])-(?=\d|inf|nan)")


def points(value: float | Decimal | None) -> str:
    """10, 7.5, 90.58; a dash for none."""
    if value is None:
        return "–"
    text = f"{Decimal(str(value)):.2f}".rstrip("0").rstrip(".")
    return text.replace("-", MINUS)


def short(text: str) -> str:
    """A number's exact text, cut to the digits that are read; what is no number stays as it is."""
    try:
        value = float(text)
    except ValueError:
        return text
    shown = f"{value:.{DIGITS}g}" if len(text) > DIGITS + 2 else text
    return shown.replace("-", MINUS)


def pair(expected: str, given: str) -> tuple[str, str]:
    """Two numbers that differ, with as many digits as it takes to see it."""
    left, right = short(expected), short(given)
    if left != right or expected == given:
        return left, right
    return expected.replace("-", MINUS), given.replace("-", MINUS)


def minus(text: str) -> str:
    """Every negative number in a sentence with a true minus; dashes of words and code stay."""
    return _NUMBER.sub(MINUS, text)
