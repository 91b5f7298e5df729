"""Reads a table of scores: students in the first column, assignments in the others. Independent of the course."""

import re
from decimal import Decimal

import msgspec

from autograder.courses.errors import Refused
from autograder.courses.importers.member_index import IDENTIFIERS
from autograder.courses.tables.csv_reader import clean
from autograder.courses.tables.formulas import unguarded
from autograder.courses.tables.uploaded_table import TableRow, read_csv_table
from autograder.gradebook.exports.plain import ABOUT
from autograder.gradebook.grades.scores import MAX_POINTS, rounded

MAX_COLUMNS = 200
MAX_NAME = 100
HEADERS = {  # of the first column; any other header allows all identifiers
    "login": ("login", "email"),  # many schools use the email address as login
    "username": ("login", "email"),
    "user_name": ("login", "email"),
    "email": ("email",),
    "e_mail": ("email",),
    "email_address": ("email",),
    "lms_id": ("lms_id",),
    "sis_id": ("sis_id",),
}
NUMBER = re.compile(r"[+-]?\d+([.,]\d*)?|[+-]?[.,]\d+", re.ASCII)
THOUSANDS = re.compile(r"[+-]?\d{1,3},\d{3}", re.ASCII)


class FileRow(msgspec.Struct, frozen=True):
    """One line of the file, with a cell for each column of scores, or the reason why it cannot be read."""

    line: int
    who: str
    cells: tuple[str, ...] = ()
    unreadable: str = ""


class ScoreFile(msgspec.Struct, frozen=True):
    name: str
    identities: tuple[str, ...]  # the identifiers that the first column may contain
    columns: tuple[str, ...]
    rows: tuple[FileRow, ...]
    exported: bool = False  # whether it is a plain CSV file written by Gradus


class NotPoints(Exception):
    """A cell that does not contain points. The message describes its content."""


def read(data: bytes, name: str) -> ScoreFile:
    table = read_csv_table(data, what="The file")
    exported = tuple(table.names[: len(ABOUT)]) == ABOUT
    first = len(ABOUT) if exported else 1
    if len(table.header) <= first:
        raise Refused(
            "The file has no score columns. The first column identifies the student; every other column is an assignment."
        )
    if len(table.header) > MAX_COLUMNS:
        raise Refused(f"The file has {len(table.header)} columns; the limit is {MAX_COLUMNS}.")
    return ScoreFile(
        _one_line(name)[-MAX_NAME:] or "a file",
        ("login",) if exported else HEADERS.get(table.names[0], IDENTIFIERS),
        tuple(_text(cell) for cell in table.header[first:]),
        tuple(_file_row(row, first) for row in table.rows),
        exported,
    )


def points_in(cell: str) -> Decimal:
    """Parse a non-empty cell. A decimal comma is accepted. Raises NotPoints if it is not a valid score."""
    text = cell.replace("\u2212", "-")
    if not NUMBER.fullmatch(text):
        raise NotPoints(f"'{cell[:40]}' is not a number")
    if THOUSANDS.fullmatch(text):
        raise NotPoints(f"'{cell[:40]}' is ambiguous: write {text.replace(',', '.')} or {text.replace(',', '')}")
    points = Decimal(text.replace(",", "."))
    if points < 0:
        raise NotPoints(f"{cell[:40]} is negative")
    if points > MAX_POINTS:
        raise NotPoints(f"{cell[:40]} is more than {MAX_POINTS}")
    return rounded(points)


def _file_row(row: TableRow, first: int) -> FileRow:
    who = _text(row.cells[0]) if row.cells else ""
    cells = () if row.error else tuple(_text(cell) for cell in row.cells[first:])
    return FileRow(row.line, who, cells, row.error)


def _text(cell: str) -> str:
    return _one_line(unguarded(clean(cell)))


def _one_line(text: str) -> str:
    """Remove unprintable characters: PostgreSQL cannot store NUL, and a line break would break the table that shows it."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
