"""Reads CSV files written by other programs: separated by commas, semicolons or tabs, in UTF-8 or in UTF-16 with a byte order mark.

The encoding is never guessed: content that cannot be read is reported with its line. Independent of courses.
"""

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator

from autograder.courses.errors import Refused

MAX_BYTES = 50_000_000
DELIMITERS = ",;\t"
MAX_DELIMITERS = 10_000  # in a line; a long text can contain many
MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def decoded(data: bytes, what: str = "The roster") -> str:
    """Decode a file. Refuses anything but UTF-8 and marked UTF-16, because guessing would corrupt names."""
    if len(data) > MAX_BYTES:
        raise Refused(too_large(what))
    if data.startswith(MARKS_OF_UTF16):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            raise Refused(f"{what} is marked as UTF-16 but cannot be decoded. Save it as CSV UTF-8.") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refused(f"{what} is not UTF-8: line {line} contains an invalid byte. Save it as CSV UTF-8.") from None
    if "\0" in text[:2]:
        raise Refused(f"{what} is UTF-16 without a byte order mark. Save it as CSV UTF-8.")
    return text


def too_large(what: str) -> str:
    limit = f"{MAX_BYTES // 1_000_000} MB"
    return f"{what} is larger than {limit}, which is too large for a list of people. Check that you chose the right file."


def lines(text: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield every non-blank row with the number of its first line, or an error message in place of the cells."""
    text = text.removeprefix("\ufeff")
    delimiter = _delimiter(text)
    reader = csv.reader(_narrow(io.StringIO(text, newline=""), delimiter), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"The row is not valid CSV ({error})."
        else:
            if cells:
                yield line, cells


def _narrow(source: Iterable[str], delimiter: str) -> Iterator[str]:
    """Refuses a line of millions of cells before they are made."""
    for number, line in enumerate(source, 1):
        if line.count(delimiter) > MAX_DELIMITERS:
            raise Refused(f"Line {number} of the file has more than {MAX_DELIMITERS:,} columns.")
        yield line


def clean(cell: str) -> str:
    return unicodedata.normalize("NFC", cell.strip(" \u00a0"))


def column_name(header: str) -> str:
    """Normalise a column name for comparison: "E-Mail" becomes "e_mail"."""
    return clean(header).casefold().replace(" ", "_").replace("-", "_")


def _delimiter(text: str) -> str:
    """Return the delimiter that occurs most often in the header, outside quotes."""
    first = text.lstrip("\r\n ").split("\n", 1)[0]
    outside = "".join(first.split('"')[::2])
    return max(DELIMITERS, key=outside.count)
