"""A small gradebook without a database, with values that file formats commonly get wrong."""

from datetime import UTC, date, datetime
from decimal import Decimal

from autograder.gradebook.exports import Options
from autograder.gradebook.grades.sheet import AssignmentColumn, GradeCell, GradeSheet, StudentRow

DAY = date(2027, 2, 1)
ZOE = StudentRow(1, "zohara", "zoe@example.org", "Zoë", "O'Hara", "Monday", "1234", "S-0002")
LINK = StudentRow(2, "link", "link@example.org", '=HYPERLINK("http://x")', "", "", "1235", "S-0003")
ADA = StudentRow(3, "ada", "ada@example.org", "Ada", "Lovelace", "Thursday", "1236", "00042")
RELU = AssignmentColumn(
    11, "relu", "ReLU backward", Decimal("10.00"), "Units", None, datetime(2027, 1, 15, 22, 59, tzinfo=UTC)
)
CUBE = AssignmentColumn(12, "cube", 'Cube, "by hand"', Decimal("12.50"), "Powers")
OPTIONS = Options(day=DAY)
ONEROSTER = Options(day=DAY, class_id="class-7", grading_period="term-1")


def small(**changed: object) -> GradeSheet:
    cells = {
        (1, 11): GradeCell(Decimal("8.50")),
        (1, 12): GradeCell(Decimal("12.50"), overridden=True),
        (2, 11): GradeCell(Decimal("0.00"), late=True),
        (3, 12): GradeCell(Decimal("1.005")),  # half a cent
    }
    given = {"students": (ZOE, LINK, ADA), "columns": (RELU, CUBE), "cells": cells} | changed
    return GradeSheet("autodiff", "Autodiff", "Europe/Berlin", **given)  # type: ignore[arg-type]


def of_one(student: StudentRow, points: str | None = "1", title: str = "ReLU", worth: str = "10") -> GradeSheet:
    """A gradebook with one student and one score."""
    column = AssignmentColumn(11, "relu", title, Decimal(worth))
    cells = {} if points is None else {(student.membership_id, 11): GradeCell(Decimal(points))}
    return small(students=(student,), columns=(column,), cells=cells)
