"""Brightspace (D2L): a CSV file for its grade import.

A `#` before every id keeps spreadsheets from interpreting it as a number, and one at the end of every line preserves empty
last cells.
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
    shortest,
    title_of,
)
from autograder.gradebook.grades.sheet import GradeSheet

HEADERS = {Identity.SIS: "OrgDefinedId", Identity.LOGIN: "Username"}
KINDS = ("Points Grade", "Text Grade", "Grade Symbol")


class Brightspace(Export):
    name: ClassVar = "brightspace"
    label: ClassVar = "Brightspace"
    extension: ClassVar = "csv"
    media_type: ClassVar = "text/csv"
    identities: ClassVar = (Identity.SIS, Identity.LOGIN)
    by_title: ClassVar = True

    def refuse(self, sheet: GradeSheet, options: Options) -> None:
        super().refuse(sheet, options)
        for column in sheet.columns:
            if any(mark in column.title for mark in ("<", ">", *KINDS)):
                raise Refused(
                    f"Brightspace would misread the title '{column.title}': it uses <, > and '{KINDS[0]}' to mark the type of a "
                    "grade column. Rename the assignment or export without it."
                )

    def remarks(self, sheet: GradeSheet, options: Options) -> list[str]:
        return [
            f'{words}: Brightspace reduces this to the maximum unless "Can Exceed" is on for the grade item'
            for words in above_the_most(sheet)
        ]

    def write(self, sheet: GradeSheet, options: Options) -> bytes:
        chosen = self.identity(options)
        titles = (f"{title_of(column)} {KINDS[0]} <Numeric MaxPoints:{shortest(column.points)}>" for column in sheet.columns)
        header = [HEADERS[chosen], *titles, "End-of-Line Indicator"]
        rows = (
            [f"#{chosen.of(student)}", *(grade(points) for points in sheet.points(student)), "#"]
            for student in sheet.students
        )
        return csv_bytes([header, *rows])


EXPORT = Brightspace()
