"""Formats numbers and escapes text from submissions that a terminal, a page or a database could misinterpret."""

import re
import unicodedata

MESSAGE_LIMIT = 2000
OUTPUT_LIMIT = 64 * 1024
CUT = "\n[cut]"

_UNSAFE_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_KEPT = {"\n", "\t"}
_PLAIN = re.compile(r"[\n\t\x20-\x7e]*")


def number(value: float | int | complex, digits: int = 6) -> str:
    """A number with at most `digits` significant digits."""
    if isinstance(value, bool | complex):
        return repr(value)
    if isinstance(value, int):
        return integer(value)
    return f"{value:.{digits}g}" if value == value and abs(value) != float("inf") else repr(value)


def integer(value: int) -> str:
    """A short integer in full, a long one abbreviated. Python refuses to print more than 4300 digits."""
    if value.bit_length() > 14_000:
        return f"an integer of about {int(value.bit_length() * 0.30103):,} digits"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:30]}... ({len(text)} digits)"


def pair(expected: float | int | complex, given: float | int | complex) -> tuple[str, str]:
    """Two numbers with the fewest digits that show that they differ."""
    for digits in (6, 9, 12, 17):
        left, right = number(expected, digits), number(given, digits)
        if left != right or expected == given:
            break
    return left, right


def neutralise(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """Escapes control, format, surrogate and private-use characters, and cuts the text at `limit`."""
    cut = len(text) > limit
    text = text[:limit].replace("\r\n", "\n")
    if not _PLAIN.fullmatch(text):
        text = "".join(_visible(character) for character in text)
        cut = cut or len(text) > 2 * limit
        text = text[: 2 * limit]
    return text + CUT if cut else text


def neutralise_output(data: bytes, cut: bool = False) -> str:
    """The output of a submission as text that can be stored and displayed."""
    text = neutralise(data.decode("utf-8", "backslashreplace"), OUTPUT_LIMIT)
    return text + CUT if cut and not text.endswith(CUT) else text


def _visible(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in _UNSAFE_CATEGORIES:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
