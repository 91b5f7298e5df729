"""Reads an uploaded table: a CSV file, or the sheet of an Excel workbook that has the required columns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autograder.courses.errors import Refused
from autograder.courses.tables import csv_reader
from autograder.courses.tables.workbook_process import MAX_CELL, SheetContent, read_workbook
from autograder.courses.tables.xlsx_reader import MAX_COLUMNS, is_workbook, rows_of_range

MAX_ROWS = 5_000  # imported in a single transaction, which blocks others
MAX_ROWS_ABOVE_HEADER = 20  # there may be a title above the header
MAX_NAMED_SHEETS = 5  # in a message

Lines = Iterator[tuple[int, list[str] | str]]  # numbered lines; an error message in place of cells that cannot be read


@dataclass(frozen=True)
class TableRow:
    line: int
    cells: Sequence[str] = ()
    error: str = ""  # why the row cannot be used


@dataclass(frozen=True)
class Table:
    """A header and the rows below it, without blank ones. `other_sheets` have data that was not read."""

    header: Sequence[str]
    rows: tuple[TableRow, ...]
    sheet: str = ""
    other_sheets: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The column names in the form in which they are compared."""
        return [csv_reader.column_name(name) for name in self.header]


def read_table(data: bytes, *, what: str, is_header: Callable[[Sequence[str]], bool], required: str) -> Table:
    """Read a CSV file or a workbook. `is_header` recognises the header, and `required` describes it in an error message."""
    if not is_workbook(data):
        table = read_csv_table(data, what=what)
        if not is_header(table.header):
            raise Refused(f"{what} has no header with {required}.")
        return table
    with_data = [sheet for sheet in read_workbook(data, what) if sheet.rows]
    for sheet in with_data:
        for number, cells in sheet.rows[:MAX_ROWS_ABOVE_HEADER]:
            if is_header(cells):
                others = tuple(other.name for other in with_data if other is not sheet)
                return _table(_sheet_lines(sheet, number), what, sheet.name, others)
    if not with_data:
        raise Refused(f"{what} is empty: no visible sheet of the workbook has data.")
    raise Refused(f"No sheet of the workbook has a header with {required}. Sheets with data: {_sheet_names(with_data)}.")


def read_csv_table(data: bytes, *, what: str) -> Table:
    text = csv_reader.decoded(data, what)
    if not text.strip():
        raise Refused(f"{what} is empty.")
    return _table(csv_reader.lines(text), what)


def _table(lines: Lines, what: str, sheet: str = "", other_sheets: tuple[str, ...] = ()) -> Table:
    number, header = next(lines)
    if isinstance(header, str):
        raise Refused(f"{what} has an unreadable header on line {number}: {header}")
    if len(header) > MAX_COLUMNS:
        raise Refused(f"{what} has more than {MAX_COLUMNS:,} columns. Check that you chose the right file.")
    header = _cut(header)
    rows: list[TableRow] = []
    for line, cells in lines:
        if isinstance(cells, str):
            rows.append(TableRow(line, error=cells))
        elif any(cell.strip() for cell in cells):
            cells = _cut(cells)
            rows.append(TableRow(line, cells, "" if len(cells) == len(header) else _wrong_width(cells, header)))
        if len(rows) > MAX_ROWS:
            raise Refused(f"{what} has more than {MAX_ROWS:,} rows. Split it and import the parts one at a time.")
    if not rows:
        raise Refused(f"{what} has a header but no rows.")
    return Table(header, tuple(rows), sheet, other_sheets)


def _cut(cells: Sequence[str]) -> list[str]:
    """Cells of at most MAX_CELL characters. An `Unreadable` is shorter and stays what it is."""
    return [cell[:MAX_CELL] if len(cell) > MAX_CELL else cell for cell in cells]


def _wrong_width(cells: Sequence[str], header: Sequence[str]) -> str:
    return f"The row has {len(cells)} column{'' if len(cells) == 1 else 's'}, but the header has {len(header)}."


def _sheet_names(sheets: Sequence[SheetContent]) -> str:
    names = [f"'{sheet.name[:40]}'" for sheet in sheets[:MAX_NAMED_SHEETS]]
    more = len(sheets) - MAX_NAMED_SHEETS
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def _sheet_lines(sheet: SheetContent, header: int) -> Lines:
    """Pad rows to the length of the header. Refuses merged cells, because only the first of them has a value."""
    width = 0
    for number, cells in sheet.rows:
        if number >= header:
            width = width or len(cells)
            yield number, cells + [""] * (width - len(cells))
    for merged in sheet.merged:
        if rows_of_range(merged)[1] >= header:
            raise Refused(
                f"The sheet '{sheet.name[:40]}' has merged cells ({merged[:20]}). Only the first of them has a value. "
                "Unmerge them and enter the value in every row."
            )
