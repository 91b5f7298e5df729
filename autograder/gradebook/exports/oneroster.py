"""OneRoster 1.1: a zip of CSV tables for a school information system, with categories, line items and results in bulk mode.

Classes, grading periods and people belong to the school: they are referenced by its ids, and their tables are absent.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import ClassVar
from zoneinfo import ZoneInfo

from autograder.gradebook.exports.base import Export, Identity, Options, RequiredOption, csv_bytes, grade, one_line, title_of
from autograder.gradebook.grades.sheet import AssignmentColumn, GradeCell, GradeSheet

TABLES = (
    "academicSessions",
    "categories",
    "classes",
    "classResources",
    "courses",
    "courseResources",
    "demographics",
    "enrollments",
    "lineItems",
    "orgs",
    "resources",
    "results",
    "users",
)
CATEGORIES = ("sourcedId", "status", "dateLastModified", "title")
LINE_ITEMS = (
    "sourcedId",
    "status",
    "dateLastModified",
    "title",
    "description",
    "assignDate",
    "dueDate",
    "classSourcedId",
    "categorySourcedId",
    "gradingPeriodSourcedId",
    "resultValueMin",
    "resultValueMax",
)
RESULTS = (
    "sourcedId",
    "status",
    "dateLastModified",
    "lineItemSourcedId",
    "studentSourcedId",
    "scoreStatus",
    "score",
    "scoreDate",
    "comment",
)
BULK = ("", "")  # status and dateLastModified, which are empty in bulk files
NO_UNIT = "Exercises"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the time of every file in the zip, so that the same grades produce identical bytes


class OneRoster(Export):
    name: ClassVar = "oneroster"
    label: ClassVar = "OneRoster"
    extension: ClassVar = "zip"
    media_type: ClassVar = "application/zip"
    identities: ClassVar = (Identity.SIS, Identity.LMS)
    needs: ClassVar = (RequiredOption.CLASS, RequiredOption.GRADING_PERIOD)
    excused: ClassVar = "exempt"

    def write(self, sheet: GradeSheet, options: Options) -> bytes:
        tables = {
            "categories": [CATEGORIES, *_categories(sheet)],
            "lineItems": [LINE_ITEMS, *(_line_item(sheet, column, options) for column in sheet.columns)],
            "results": [RESULTS, *_results(sheet, self.identity(options), options.day)],
        }
        files = {"manifest": _manifest(tables), **tables}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, rows in files.items():
                archive.writestr(zipfile.ZipInfo(f"{name}.csv", LONG_AGO), csv_bytes(rows), zipfile.ZIP_DEFLATED)
        return packed.getvalue()


def _manifest(given: Iterable[str]) -> list[Sequence[str]]:
    given = set(given)
    return [
        ("propertyName", "value"),
        ("manifest.version", "1.0"),
        ("oneroster.version", "1.1"),
        *((f"file.{table}", "bulk" if table in given else "absent") for table in TABLES),
        ("source.systemName", "Gradus"),
        ("source.systemCode", "gradus"),
    ]


def _unit(column: AssignmentColumn) -> str:
    return one_line(column.unit) or NO_UNIT


def _category(sheet: GradeSheet, column: AssignmentColumn) -> str:
    """Return the id of a category, derived from its name, which may be in any script, rather than from its position, which
    changes."""
    return f"{sheet.slug}.unit.{hashlib.sha256(_unit(column).encode()).hexdigest()[:16]}"


def _categories(sheet: GradeSheet) -> Iterable[Sequence[str]]:
    units = {_category(sheet, column): _unit(column) for column in sheet.columns}
    return [(key, *BULK, unit) for key, unit in units.items()]


def _item(sheet: GradeSheet, column: AssignmentColumn) -> str:
    """Return the id of a line item. Slugs contain no dots, so ids are unique."""
    return f"{sheet.slug}.{column.slug}"


def _line_item(sheet: GradeSheet, column: AssignmentColumn, options: Options) -> Sequence[str]:
    """Both dates are required: the due date defaults to the day of the export, and the assign date to the due date."""
    due = _day(sheet, column.due_at) or options.day
    assigned = _day(sheet, column.opens_at) or due
    return (
        _item(sheet, column),
        *BULK,
        title_of(column),
        "",
        assigned.isoformat(),
        max(due, assigned).isoformat(),
        options.class_id,
        _category(sheet, column),
        options.grading_period,
        "0.00",
        grade(column.points),
    )


def _results(sheet: GradeSheet, identity: Identity, day: date) -> Iterable[Sequence[str]]:
    """Yield a result for everything that is graded, missing or excused. In a bulk file, absence means that there is nothing else."""
    for student in sheet.students:
        for column in sheet.columns:
            cell = sheet.cell(student, column)
            if cell.points is not None or cell.excused:
                item = _item(sheet, column)
                key = f"{item}.{student.membership_id}"
                score = grade(cell.points)
                yield (key, *BULK, item, identity.of(student), _status(cell), score, day.isoformat(), "")


def _status(cell: GradeCell) -> str:
    if cell.excused:
        return "exempt"
    return "not submitted" if cell.missing else "fully graded"


def _day(sheet: GradeSheet, at: datetime | None) -> date | None:
    return at.astimezone(ZoneInfo(sheet.time_zone)).date() if at else None


EXPORT = OneRoster()
