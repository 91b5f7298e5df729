"""XLSX for people: numbers are numeric cells and text never becomes a formula.

A second sheet lists grades that were set by hand, late, excused or missing.
"""

import io
from datetime import datetime, time
from typing import Any, ClassVar

import xlsxwriter

from autograder.courses.tables.formulas import begins_a_formula
from autograder.gradebook.exports.base import Export, Options, one_line, title_of
from autograder.gradebook.grades.scores import rounded
from autograder.gradebook.grades.sheet import GradeCell, GradeSheet, StudentRow

ABOUT = ("Name", "Login", "Email", "Section", "SIS ID")
WORTH = "Points possible"
REMARKS = ("Name", "Login", "Assignment", "Points", "Comment")
WIDTHS = (28, 16, 30, 14, 14)
FIRST_GRADE = len(ABOUT)


class Xlsx(Export):
    name: ClassVar = "xlsx"
    label: ClassVar = "XLSX"
    extension: ClassVar = "xlsx"
    media_type: ClassVar = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    excused: ClassVar = "excused"

    def write(self, sheet: GradeSheet, options: Options) -> bytes:
        packed = io.BytesIO()
        with xlsxwriter.Workbook(packed, {"in_memory": True}) as book:
            book.set_properties({"title": one_line(sheet.title), "created": datetime.combine(options.day, time())})
            pen = Pen(book)
            _grades(book.add_worksheet("Grades"), pen, sheet)
            _remarks(book.add_worksheet("Comments"), pen, sheet)
        return packed.getvalue()


class Pen:
    """Writes cells with the correct type and format."""

    def __init__(self, book: Any) -> None:
        self._head = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        self._points = book.add_format({"num_format": "0.00"})
        # text that looks like a formula stays text even when the cell is edited
        self._quoted = {
            False: book.add_format({"quote_prefix": True}),
            True: book.add_format({"quote_prefix": True, "bold": True}),
        }

    def text(self, page: Any, row: int, column: int, text: str, head: bool = False) -> None:
        text = one_line(text)
        plain = self._head if head else None
        page.write_string(row, column, text, self._quoted[head] if begins_a_formula(text) else plain)

    def points(self, page: Any, row: int, column: int, points: Any) -> None:
        page.write_number(row, column, float(rounded(points)), self._points)


def _grades(page: Any, pen: Pen, sheet: GradeSheet) -> None:
    for at, (words, width) in enumerate(zip(ABOUT, WIDTHS, strict=True)):
        pen.text(page, 0, at, words, head=True)
        page.set_column(at, at, width)
    pen.text(page, 1, 0, WORTH)
    page.set_column(FIRST_GRADE, FIRST_GRADE + len(sheet.columns), 14)
    for at, column in enumerate(sheet.columns, FIRST_GRADE):
        pen.text(page, 0, at, title_of(column), head=True)
        pen.points(page, 1, at, column.points)
    for row, student in enumerate(sheet.students, 2):
        for at, text in enumerate(_about(student)):
            pen.text(page, row, at, text)
        for at, points in enumerate(sheet.points(student), FIRST_GRADE):
            if points is not None:
                pen.points(page, row, at, points)
    page.freeze_panes(2, 2)


def _remarks(page: Any, pen: Pen, sheet: GradeSheet) -> None:
    for at, (words, width) in enumerate(zip(REMARKS, (28, 16, 30, 10, 24), strict=True)):
        pen.text(page, 0, at, words, head=True)
        page.set_column(at, at, width)
    row = 0
    for student in sheet.students:
        for column in sheet.columns:
            cell = sheet.cell(student, column)
            remark = _remark(cell)
            if remark:
                row += 1
                for at, text in enumerate((student.name, student.login, title_of(column))):
                    pen.text(page, row, at, text)
                if cell.points is not None:
                    pen.points(page, row, 3, cell.points)
                pen.text(page, row, 4, remark)
    page.freeze_panes(1, 0)


def _about(student: StudentRow) -> tuple[str, ...]:
    return student.name, student.login, student.email, student.section, student.sis_id


def _remark(cell: GradeCell) -> str:
    said = (
        ("set by hand", cell.overridden),
        ("late", cell.late),
        ("excused", cell.excused),
        ("not submitted", cell.missing),
    )
    return ", ".join(words for words, so in said if so)


EXPORT = Xlsx()
