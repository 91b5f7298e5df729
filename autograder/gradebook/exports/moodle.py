"""Moodle: a CSV file for its grade import, where a form maps the columns.

The import is all or nothing: an unknown student or a score above the maximum rejects the whole file. A row without an id
would assign its grades to the student of the previous row.
"""

from typing import ClassVar

from autograder.courses.errors import Refused
from autograder.gradebook.exports.base import (
    Export,
    Identity,
    Options,
    above_the_most,
    csv_bytes,
    grade,
    one_line,
    title_of,
)
from autograder.gradebook.grades.sheet import GradeSheet

HEADERS = {
    Identity.LMS: "User ID",
    Identity.LOGIN: "Username",
    Identity.SIS: "ID number",
    Identity.EMAIL: "Email address",
}
ALWAYS = (Identity.SIS, Identity.EMAIL)  # as in Moodle's own export
NO_GRADE = "-"


class Moodle(Export):
    name: ClassVar = "moodle"
    label: ClassVar = "Moodle"
    extension: ClassVar = "csv"
    media_type: ClassVar = "text/csv"
    identities: ClassVar = (Identity.EMAIL, Identity.SIS, Identity.LOGIN, Identity.LMS)
    by_title: ClassVar = True

    def misread(self, identity: Identity, value: str) -> str:
        if identity == Identity.LMS and not (value.isascii() and value.isdigit()):
            return f"LMS ID {value} is not a number; Moodle IDs are numbers"
        return f"Moodle treats {identity.words} 0 as no ID" if value == "0" else ""

    def refuse(self, sheet: GradeSheet, options: Options) -> None:
        super().refuse(sheet, options)
        above = above_the_most(sheet)
        if above:
            more = f" (and {len(above) - 1} more)" if len(above) > 1 else ""
            raise Refused(
                f"Moodle rejects the whole file if one score is above the maximum: {above[0]}{more}. "
                "Lower the points that were set by hand or export without this assignment."
            )

    def write(self, sheet: GradeSheet, options: Options) -> bytes:
        chosen = self.identity(options)
        identities = [*([] if chosen in ALWAYS else [chosen]), *ALWAYS]
        titles = (f"{title_of(column)} (Real)" for column in sheet.columns)
        header = ["First name", "Last name", *(HEADERS[identity] for identity in identities), *titles]
        rows = (
            [
                one_line(student.first_name),
                one_line(student.last_name),
                *(one_line(identity.of(student)) for identity in identities),
                *(grade(points, NO_GRADE) for points in sheet.points(student)),
            ]
            for student in sheet.students
        )
        return csv_bytes([header, *rows])


EXPORT = Moodle()
