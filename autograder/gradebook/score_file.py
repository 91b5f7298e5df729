"""Reads a table of scores: students in the first column, assignments in the others. Independent of the course."""

import re
from collections.abc import Sequence
from decimal import Decimal

import msgspec

from autograder.courses.errors import Refused
from autograder.courses.tables import csv_reader
from autograder.courses.tables.formulas import unguarded
from autograder.gradebook.exports.plain import ABOUT
from autograder.gradebook.scores import MAX_POINTS, rounded

WHAT = "The file"
MAX_ROWS = 5_000  # imported in a single transaction, which blocks others
MAX_COLUMNS = 200
MAX_NAME = 100
IDENTITIES = ("login", "email", "lms_id", "sis_id")
HEADERS = {  # of the first column; any other header allows all identifiers
    "login": ("login", "email"),  # many schools use the e-mail address as login
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
    text = csv_reader.decoded(data, WHAT)
    if not text.strip():
        raise Refused(f"{WHAT} is empty.")
    lines = csv_reader.lines(text)
    _, header = next(lines)
    if isinstance(header, str):
        raise Refused(f"The first line of the file {header}.")
    exported = tuple(csv_reader.named(cell) for cell in header[: len(ABOUT)]) == ABOUT
    first = len(ABOUT) if exported else 1
    if len(header) <= first:
        raise Refused(f"{WHAT} has no column of scores. The first column says who, and each other one is an assignment.")
    if len(header) > MAX_COLUMNS:
        raise Refused(f"{WHAT} has {len(header)} columns; at most {MAX_COLUMNS} are read.")
    rows = []
    for line, cells in lines:
        rows += _row(line, cells, len(header), first)
        if len(rows) > MAX_ROWS:
            raise Refused(f"{WHAT} has more than {MAX_ROWS:,} rows.")
    if not rows:
        raise Refused(f"{WHAT} has a header but no rows.")
    named = HEADERS.get(csv_reader.named(header[0]), IDENTITIES)
    return ScoreFile(
        _one_line(name)[-MAX_NAME:] or "a file",
        ("login",) if exported else named,
        tuple(_text(cell) for cell in header[first:]),
        tuple(rows),
        exported,
    )


def points_in(cell: str) -> Decimal:
    """Parse a non-empty cell. A decimal comma is accepted. Raises NotPoints if it is not a valid score."""
    text = cell.replace("\u2212", "-")
    if not NUMBER.fullmatch(text):
        raise NotPoints(f"'{cell[:40]}' is not a number")
    if THOUSANDS.fullmatch(text):
        raise NotPoints(f"'{cell[:40]}' may be a decimal comma or a thousand: write it with a point or without the comma")
    points = Decimal(text.replace(",", "."))
    if points < 0:
        raise NotPoints(f"{cell[:40]} is negative")
    if points > MAX_POINTS:
        raise NotPoints(f"{cell[:40]} is more than {MAX_POINTS}")
    return rounded(points)


def _row(line: int, cells: Sequence[str] | str, width: int, first: int) -> list[FileRow]:
    """Return the row as a list, which is empty for a blank line."""
    if isinstance(cells, str):
        return [FileRow(line, "", unreadable=cells)]
    if not any(cell.strip() for cell in cells):
        return []
    who = _text(cells[0])
    if len(cells) != width:
        return [FileRow(line, who, unreadable=f"has {len(cells)} columns, and the header {width}")]
    return [FileRow(line, who, tuple(_text(cell) for cell in cells[first:]))]


def _text(cell: str) -> str:
    return _one_line(unguarded(csv_reader.clean(cell)))


def _one_line(text: str) -> str:
    """Remove unprintable characters: PostgreSQL cannot store NUL, and a line break would break the table that shows it."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
