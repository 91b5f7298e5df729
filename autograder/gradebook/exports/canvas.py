"""Canvas: the CSV format of its own gradebook, as `lib/gradebook_importer.rb` of instructure/canvas-lms reads it.

Canvas replaces commas by decimal points in every cell that looks like a number, including ids and titles. It interprets a
number in parentheses at the end of a title as an assignment's id, and finds columns by their titles.
"""

import re
from typing import ClassVar

from autograder.courses.errors import Refused
from autograder.gradebook.exports.base import Export, Identity, Options, csv_bytes, grade, grades, one_line, title_of
from autograder.gradebook.grades.sheet import GradeSheet, StudentRow

ABOUT = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS = "Points Possible"
RESERVED = {*ABOUT, "LastName", "FirstName", "Integration ID", "Root Account"}
TOTALS = tuple(
    f"{which} {what}" for which in ("Current", "Final", "Override") for what in ("Score", "Points", "Grade", "Status")
)
NUMBER = re.compile(r"-?[0-9.,]+%?")
ASKED = (Identity.LMS, Identity.SIS, Identity.LOGIN)  # Canvas looks them up in this order


class Canvas(Export):
    name: ClassVar = "canvas"
    label: ClassVar = "Canvas"
    extension: ClassVar = "csv"
    media_type: ClassVar = "text/csv"
    identities: ClassVar = ASKED
    by_title: ClassVar = True
    excused: ClassVar = "EX"

    def misread(self, identity: Identity, value: str) -> str:
        if identity == Identity.LMS and not (value.isascii() and value.isdigit()):
            return f"LMS ID {value} is not a number; Canvas IDs are numbers"
        if identity == Identity.LMS and value != str(int(value)):
            return f"LMS ID {value} would be read as the number {int(value)}"
        if _as_number(value) != value:
            return f"{identity.words} {value} would be read as the number {_as_number(value)}"
        return ""

    def refuse(self, sheet: GradeSheet, options: Options) -> None:
        super().refuse(sheet, options)
        for column in sheet.columns:
            reason = _title_trouble(title_of(column))
            if reason:
                raise Refused(
                    f"Canvas would misread the title '{column.title}': {reason}. Rename the assignment or export without it."
                )

    def write(self, sheet: GradeSheet, options: Options) -> bytes:
        """Write the chosen id, and those that Canvas uses only if it does not find that one."""
        after = ASKED[ASKED.index(self.identity(options)) :]
        usable = {identity: self._usable(sheet, identity) for identity in after}
        header = [*ABOUT, *(title_of(column) for column in sheet.columns)]
        worth = [f"    {POINTS}", "", "", "", "", *(grade(column.points) for column in sheet.columns)]
        rows = (
            [
                _name(student),
                *(usable.get(identity, {}).get(student.membership_id, "") for identity in ASKED),
                one_line(student.section),
                *grades(sheet, student, excused=self.excused),
            ]
            for student in sheet.students
        )
        return csv_bytes([header, worth, *rows])

    def _usable(self, sheet: GradeSheet, identity: Identity) -> dict[int, str]:
        out = {unmatched.student.membership_id for unmatched in self._unmatched_by(sheet, identity)}
        return {
            student.membership_id: identity.of(student) for student in sheet.students if student.membership_id not in out
        }


def _name(student: StudentRow) -> str:
    """Return a student's name, or the login if Canvas would mistake the row for the maximum points."""
    name = one_line(student.name)
    return student.login if POINTS in name else name


def _as_number(text: str) -> str:
    """Return the number that Canvas reads from a cell: the last comma or point is the decimal point, earlier ones are dropped."""
    if not NUMBER.fullmatch(text):
        return text
    parts = re.split("[.,]", text.rstrip(".,"))
    return ".".join(part for part in ("".join(parts[:-1]), parts[-1]) if part) if len(parts) > 1 else parts[0]


def _title_trouble(title: str) -> str:
    if re.search(r"\(\d+\)$", title):
        return "Canvas would read the number in brackets at the end as an assignment ID"
    if title in RESERVED:
        return "Canvas uses this name for a column with student details"
    if any(total in title for total in TOTALS):
        return "Canvas uses this name for total columns and ignores them"
    if _as_number(title) != title:
        return f"Canvas would read it as the number {_as_number(title)}"
    return ""


EXPORT = Canvas()
