"""Reads a list of people from a file: recognises its format, and translates its columns to our own names."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from autograder.courses.errors import Refused
from autograder.courses.importers.list_formats import ROLES, ListFormat
from autograder.courses.importers.rows import ImportRow, RowStatus
from autograder.courses.tables.csv_reader import clean, column_name
from autograder.courses.tables.uploaded_table import TableRow, read_table
from autograder.courses.tables.xlsx_reader import Unreadable


@dataclass(frozen=True)
class PeopleTable:
    format: ListFormat
    rows: tuple[ImportRow, ...]
    ignored: tuple[str, ...]  # columns that are not read
    sheet: str
    other_sheets: tuple[str, ...]


def read_people_table(
    data: bytes, *, what: str, format_of: Callable[[Sequence[str]], ListFormat | None], required: str
) -> PeopleTable:
    """Read a file. `format_of` returns the format of a file with these columns, and `required` describes it in a message."""
    table = read_table(
        data,
        what=what,
        is_header=lambda cells: format_of([column_name(cell) for cell in cells]) is not None,
        required=required,
    )
    names = table.names
    list_format = format_of(names)
    assert list_format is not None  # `is_header` accepted it
    meaning = list_format.meaning(names)
    twice = next((name for name, count in Counter(names).items() if count > 1 and name in meaning), None)
    if twice:
        raise Refused(f"{what} has the column '{twice}' twice. Remove one of them.")
    rows = tuple(
        _import_row(row, names, meaning, list_format)
        for row in table.rows
        if not (row.cells and row.cells[0].strip().startswith(list_format.not_a_person))
    )
    if not rows:
        raise Refused(f"{what} has a header but no rows.")
    ignored = tuple(
        cell.strip() or "(no name)" for name, cell in zip(names, table.header, strict=True) if name not in meaning
    )
    return PeopleTable(list_format, rows, ignored, table.sheet, table.other_sheets)


def _import_row(row: TableRow, names: Sequence[str], meaning: Mapping[str, str], list_format: ListFormat) -> ImportRow:
    if row.error:
        return ImportRow(row.line, {}, RowStatus.BAD, row.error)
    cells = [(meaning[name], cell) for name, cell in zip(names, row.cells, strict=True) if name in meaning]
    unreadable = next((cell for _, cell in cells if isinstance(cell, Unreadable)), None)
    if unreadable is not None:
        return ImportRow(row.line, {}, RowStatus.BAD, str(unreadable))
    values = {name: clean(cell) for name, cell in cells}
    if list_format.id_prefix:
        values |= {
            name: value.removeprefix(list_format.id_prefix) for name, value in values.items() if name in ("login", "sis_id")
        }
    if "role" in values:
        values["role"] = ROLES.get(values["role"].casefold(), values["role"])
    return ImportRow(row.line, values, person=clean(row.cells[0]))
