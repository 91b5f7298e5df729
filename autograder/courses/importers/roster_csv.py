"""Parses the rows of a roster, using our own column names. Independent of courses."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.courses.errors import Refused
from autograder.courses.importers.roster_columns import COLUMNS, ROLES, Program, program_of
from autograder.courses.tables import csv_reader
from autograder.courses.tables.uploaded_table import Lines
from autograder.courses.tables.xlsx_reader import Unreadable

MOST_ROWS = 5_000  # imported in a single transaction, which blocks others
Said = Mapping[str, str] | str  # a row by column, or why it cannot be read


@dataclass(frozen=True)
class Parsed:
    """Every row with its line number, the unknown columns, and the program that wrote the file."""

    rows: tuple[tuple[int, Said], ...]
    ignored: tuple[str, ...]
    program: Program


def parse(text: str) -> Parsed:
    if not text.removeprefix("\ufeff").strip():
        raise Refused("The roster is empty.")
    return parse_lines(csv_reader.lines(text))


def is_header(cells: Sequence[str]) -> bool:
    """Return whether a row is the header of a roster."""
    names = [csv_reader.named(cell) for cell in cells]
    program = program_of(names)
    return _has_people(program.meaning(names), program)


def parse_lines(lines: Lines) -> Parsed:
    """Parse the lines of a roster, starting with the header."""
    _, header = next(lines)
    if isinstance(header, str):
        raise Refused(f"The first line of the roster {header}.")
    names = [csv_reader.named(name) for name in header]
    program = program_of(names)
    meaning = program.meaning(names)
    _refuse_header(names, meaning, program)
    rows: list[tuple[int, Said]] = []
    for line, cells in lines:
        if isinstance(cells, str):
            rows.append((line, cells))
        elif cells[0].strip().startswith(program.no_person or "\0"):
            continue
        elif len(cells) != len(names):
            rows.append((line, f"has {len(cells)} columns, and the header {len(names)}"))
        elif any(cell.strip() for cell in cells):
            rows.append((line, _unreadable(cells, names, meaning) or _said(cells, names, meaning, program)))
        if len(rows) > MOST_ROWS:
            raise Refused(f"The roster has more than {MOST_ROWS:,} rows.")
    if not rows:
        raise Refused("The roster has a header but no rows.")
    ignored = tuple(said.strip() or "(no name)" for name, said in zip(names, header, strict=True) if name not in meaning)
    return Parsed(tuple(rows), ignored, program)


def _unreadable(cells: Sequence[str], names: Sequence[str], meaning: Mapping[str, str]) -> str:
    """Return why a cell that is needed has no value, or an empty string."""
    pairs = zip(names, cells, strict=True)
    return next((str(cell) for name, cell in pairs if name in meaning and isinstance(cell, Unreadable)), "")


def _said(cells: Sequence[str], names: Sequence[str], meaning: Mapping[str, str], program: Program) -> dict[str, str]:
    said = {meaning[name]: csv_reader.clean(cell) for name, cell in zip(names, cells, strict=True) if name in meaning}
    if program.mark:
        said |= {name: value.removeprefix(program.mark) for name, value in said.items() if name in ("login", "sis_id")}
    if "role" in said:
        said["role"] = ROLES.get(said["role"].casefold(), said["role"])
    return said


def _refuse_header(names: list[str], meaning: Mapping[str, str], program: Program) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1 and name in meaning]
    if twice:
        raise Refused(f"The roster has the column '{twice[0]}' twice.")
    if not _has_people(meaning, program):
        raise Refused(
            f"The roster has no column 'login'. The columns that are read: {', '.join(COLUMNS)}; "
            "or those of a list from Canvas, Moodle or Gradescope, in English."
        )


def _has_people(meaning: Mapping[str, str], program: Program) -> bool:
    known = meaning.values()
    return "login" in known or (program.email_is_login and "email" in known)
