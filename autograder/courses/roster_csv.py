"""Reads the file of a roster: UTF-8 with or without BOM, a header, commas or semicolons. Knows nothing of courses."""

import csv
import io
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

from autograder.courses.errors import Refused

COLUMNS = ("login", "email", "name", "first_name", "last_name", "section", "role", "lms_id", "sis_id")
MOST_ROWS = 5_000  # imported in one transaction, for which others wait
Said = Mapping[str, str] | str  # what stands in a row by column, or why it cannot be read


def decoded(data: bytes) -> str:
    """The text of a file. Refused if it is not UTF-8: guessing would spoil names."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused("The roster is UTF-16, as spreadsheets save 'Unicode text'. Save it as CSV UTF-8.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refused(f"The roster is not UTF-8: line {line} has a byte that cannot be. Save it as CSV UTF-8.") from None


def parse(text: str) -> tuple[list[tuple[int, Said]], tuple[str, ...]]:
    """Every row with the number of its line, and the columns that are not ours."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise Refused("The roster is empty.")
    first = text.lstrip().split("\n", 1)[0]
    lines = _lines(text, ";" if first.count(";") > first.count(",") else ",")
    _, header = next(lines)
    if isinstance(header, str):
        raise Refused(f"The first line of the roster {header}.")
    names = [name.strip().casefold().replace(" ", "_").replace("-", "_") for name in header]
    _refuse_header(names)
    rows: list[tuple[int, Said]] = []
    for line, cells in lines:
        if isinstance(cells, str):
            rows.append((line, cells))
        elif len(cells) != len(names):
            rows.append((line, f"has {len(cells)} columns, and the header {len(names)}"))
        elif any(cell.strip() for cell in cells):
            rows.append((line, {name: _clean(cell) for name, cell in zip(names, cells, strict=True) if name in COLUMNS}))
        if len(rows) > MOST_ROWS:
            raise Refused(f"The roster has more than {MOST_ROWS:,} rows.")
    if not rows:
        raise Refused("The roster has a header and nobody below it.")
    ignored = tuple(said.strip() or "(no name)" for name, said in zip(names, header, strict=True) if name not in COLUMNS)
    return rows, ignored


def _lines(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Every row that is not blank with the number of its first line; words instead of cells where it cannot be read."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"cannot be read ({error})"
        else:
            if cells:
                yield line, cells


def _refuse_header(names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1 and name in COLUMNS]
    if twice:
        raise Refused(f"The roster has the column '{twice[0]}' twice.")
    if "login" not in names:
        raise Refused(f"The roster has no column 'login'. The columns that are read: {', '.join(COLUMNS)}.")


def _clean(cell: str) -> str:
    return unicodedata.normalize("NFC", cell.strip(" \u00a0"))
