"""Blackboard Learn: fills in a file that was downloaded from its grade center, where every column has an id.

Only our own columns and students are written; everything else in Blackboard stays unchanged.
"""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import ClassVar

from autograder.courses.errors import Refused
from autograder.courses.tables import csv_reader
from autograder.gradebook.exports.base import (
    Export,
    Identity,
    Options,
    RequiredOption,
    Unmatched,
    csv_bytes,
    grade,
    shortest,
    title_of,
)
from autograder.gradebook.grades.sheet import AssignmentColumn, GradeSheet

WHAT = "The file from Blackboard"
ABOUT = ("Last Name", "First Name", "Username", "Student ID")
HEADERS = {Identity.LOGIN: "Username", Identity.SIS: "Student ID"}
# the title, the maximum points, and the id by which Blackboard recognises the column
COLUMN = re.compile(r"(?P<title>.*?)\s*\[Total Pts:\s*(?P<worth>[^\]]*?)\s*\]\s*\|\s*(?P<id>\d+)")


@dataclass(frozen=True)
class Template:
    """The downloaded file: its header and its rows."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def place(self, header: str) -> int:
        if header not in self.header:
            raise Refused(f"{WHAT} has no column '{header}'. Download it again in English, with users and their names.")
        return self.header.index(header)

    def places(self, sheet: GradeSheet) -> list[int]:
        """Return the positions of the assignments' columns, in the order of the sheet."""
        return [self._place_of(column) for column in sheet.columns]

    def by(self, identity: Identity) -> dict[str, tuple[str, ...]]:
        at = self.place(HEADERS[identity])
        found: dict[str, tuple[str, ...]] = {}
        for row in self.rows:
            key = csv_reader.clean(row[at]).casefold()
            if key and found.setdefault(key, row) is not row:
                raise Refused(f"{WHAT} has {HEADERS[identity]} {row[at]} twice.")
        return found

    def _place_of(self, column: AssignmentColumn) -> int:
        matches = [COLUMN.fullmatch(header) for header in self.header]
        wanted = csv_reader.clean(title_of(column))
        found = [at for at, match in enumerate(matches) if match and csv_reader.clean(match["title"]) == wanted]
        if len(found) != 1:
            how = "no column" if not found else "more than one column"
            raise Refused(
                f"{WHAT} has {how} '{column.title}' with points and an ID. Create one in Blackboard and download the file again, "
                f"or export without this assignment."
            )
        match = matches[found[0]]
        assert match is not None
        worth = match["worth"].removesuffix("Score").strip()
        if _number(worth) != column.points:
            raise Refused(
                f"'{column.title}' is worth {shortest(column.points)} points here and {worth} in Blackboard. "
                "Make them the same; otherwise every score would have a different weight in Blackboard."
            )
        return found[0]


class Blackboard(Export):
    name: ClassVar = "blackboard"
    label: ClassVar = "Blackboard"
    extension: ClassVar = "csv"
    media_type: ClassVar = "text/csv"
    identities: ClassVar = (Identity.LOGIN, Identity.SIS)
    by_title: ClassVar = True
    needs: ClassVar = (RequiredOption.TEMPLATE,)

    def unmatched(self, sheet: GradeSheet, options: Options) -> list[Unmatched]:
        identity = self.identity(options)
        there = _read(options).by(identity)
        known = {unmatched.student.membership_id: unmatched for unmatched in self._unmatched_by(sheet, identity)}
        out: list[Unmatched] = []
        for student in sheet.students:
            if student.membership_id in known:
                out.append(known[student.membership_id])
            elif csv_reader.clean(identity.of(student)).casefold() not in there:
                out.append(Unmatched(student, f"{identity.words} {identity.of(student)} is not in the file"))
        return out

    def refuse(self, sheet: GradeSheet, options: Options) -> None:
        super().refuse(sheet, options)
        _read(options).places(sheet)

    def write(self, sheet: GradeSheet, options: Options) -> bytes:
        """Write the students and our own columns. A cell without a grade keeps its previous value."""
        template, identity = _read(options), self.identity(options)
        template.place("Username")  # Blackboard rejects a file without it
        about = [template.place(header) for header in ABOUT if header in template.header]
        places = template.places(sheet)
        students = {csv_reader.clean(identity.of(student)).casefold(): student for student in sheet.students}
        rows = (
            [
                *(row[at] for at in about),
                *(grade(points, row[at]) for at, points in zip(places, sheet.points(students[key]), strict=True)),
            ]
            for key, row in template.by(identity).items()
            if key in students
        )
        return csv_bytes([[template.header[at] for at in (*about, *places)], *rows], quote_all=True)


def _read(options: Options) -> Template:
    lines = csv_reader.lines(csv_reader.decoded(options.template or b"", WHAT))
    _, header = next(lines, (1, "The file is empty."))
    if isinstance(header, str):
        raise Refused(f"The first line of the file from Blackboard cannot be read. {header}")
    rows = []
    for line, cells in lines:
        if isinstance(cells, str):
            raise Refused(f"Line {line} of the file from Blackboard cannot be read. {cells}")
        if len(cells) != len(header):
            count = f"{len(cells)} column{'' if len(cells) == 1 else 's'}"
            raise Refused(f"Line {line} of the file from Blackboard has {count}, but the header has {len(header)}.")
        rows.append(tuple(cells))
    return Template(tuple(csv_reader.clean(name) for name in header), tuple(rows))


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


EXPORT = Blackboard()
