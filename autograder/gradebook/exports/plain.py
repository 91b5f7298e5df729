"""Plain CSV for people and scripts: the students, and a column for each assignment by slug. Excel opens it as UTF-8."""

from typing import ClassVar

from autograder.courses.tables.formulas import guarded
from autograder.gradebook.exports.base import Export, Options, csv_bytes, grade, one_line
from autograder.gradebook.grades.sheet import GradeSheet, StudentRow

ABOUT = ("login", "email", "last_name", "first_name", "section", "lms_id", "sis_id")  # the column names of a roster


class Plain(Export):
    name: ClassVar = "csv"
    label: ClassVar = "Plain CSV"
    extension: ClassVar = "csv"
    media_type: ClassVar = "text/csv"

    def write(self, sheet: GradeSheet, options: Options) -> bytes:
        header = [*ABOUT, *(column.slug for column in sheet.columns)]
        rows = ([*_about(student), *(grade(points) for points in sheet.points(student))] for student in sheet.students)
        return csv_bytes([[guarded(name) for name in header], *rows], mark=True)


def _about(student: StudentRow) -> list[str]:
    return [guarded(one_line(getattr(student, name))) for name in ABOUT]


EXPORT = Plain()
