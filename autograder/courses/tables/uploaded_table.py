"""Opens an uploaded table: a CSV file, or the sheet of an Excel workbook that has the required columns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from autograder.courses.errors import Refused
from autograder.courses.tables import csv_reader
from autograder.courses.tables.xlsx_reader import Sheet, Workbook, is_workbook, rows_of_range

HEADER_WITHIN = 20  # rows searched for the header, since there may be a title above it
MAX_NAMED = 5  # sheets named in a message

Lines = Iterator[tuple[int, list[str] | str]]  # numbered lines; an error message in place of cells that cannot be read


@dataclass(frozen=True)
class ListFile:
    """An opened table. `lines` begin with the header. `others` are sheets with data that are not read."""

    lines: Lines
    sheet: str = ""
    others: tuple[str, ...] = ()


def opened(data: bytes, *, what: str, is_header: Callable[[Sequence[str]], bool], wanted: str) -> ListFile:
    """Open a table. `is_header` recognises its header row. `wanted` describes the required columns in an error message."""
    if not is_workbook(data):
        text = csv_reader.decoded(data, what)
        if not text.strip():
            raise Refused(f"{what} is empty.")
        return ListFile(csv_reader.lines(text))
    workbook = Workbook(data, what)
    first_rows = {sheet: list(islice(workbook.rows(sheet), HEADER_WITHIN)) for sheet in workbook.sheets}
    with_data = [sheet for sheet, rows in first_rows.items() if rows]
    for sheet in with_data:
        for number, cells in first_rows[sheet]:
            if is_header(cells):
                others = tuple(other.name for other in with_data if other is not sheet)
                return ListFile(_lines(workbook, sheet, number), sheet.name, others)
    if not with_data:
        raise Refused(f"{what} is empty: no visible sheet of the workbook has data.")
    raise Refused(f"No sheet of the workbook has a header with {wanted}. Sheets with data: {named(with_data)}.")


def named(sheets: Sequence[Sheet]) -> str:
    names = [f"'{sheet.name[:40]}'" for sheet in sheets[:MAX_NAMED]]
    return ", ".join(names) + (f" and {len(sheets) - MAX_NAMED} more" if len(sheets) > MAX_NAMED else "")


def _lines(workbook: Workbook, sheet: Sheet, header: int) -> Lines:
    """Pad rows to the length of the header. Refuses merged cells, because only the first of them has a value."""
    width = 0
    for number, cells in workbook.rows(sheet):
        if number >= header:
            width = width or len(cells)
            yield number, cells + [""] * (width - len(cells))
    for merged in workbook.merged[sheet.name]:
        if rows_of_range(merged)[1] >= header:
            raise Refused(
                f"The sheet '{sheet.name[:40]}' has merged cells ({merged[:20]}), of which only the first has a value. "
                "Unmerge them and write into every row what belongs to it."
            )
