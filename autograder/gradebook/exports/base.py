"""The base class of export formats, and what they share: matching students and formatting numbers.

An LMS assigns grades to the students named in the file. A student whose id is missing, shared or would be misread is
therefore reported before a file is written. Files for an LMS contain ids and numbers unchanged; only files for people
protect text that a spreadsheet would interpret as a formula.
"""

import csv
import io
import unicodedata
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar

from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.gradebook.grades.scores import rounded
from autograder.gradebook.grades.sheet import AssignmentColumn, GradeSheet, StudentRow

UNSEEN = {"Cc", "Zl", "Zp"}  # control characters and line separators


class Identity(StrEnum):
    """The identifier by which the target system knows students."""

    LMS = "lms"
    SIS = "sis"
    LOGIN = "login"
    EMAIL = "email"

    @property
    def words(self) -> str:
        return {"lms": "LMS ID", "sis": "SIS ID", "login": "login", "email": "email"}[self.value]

    def of(self, student: StudentRow) -> str:
        return {"lms": student.lms_id, "sis": student.sis_id, "login": student.login, "email": student.email}[self.value]


class Missing(StrEnum):
    """What is written for work that is past due and was never graded."""

    ZERO = "zero"
    EMPTY = "empty"

    @property
    def words(self) -> str:
        return {"zero": "0 points, as in the gradebook", "empty": "an empty cell"}[self.value]


class RequiredOption(StrEnum):
    """What a format requires in addition to the grades."""

    TEMPLATE = "a file that was downloaded from the LMS"
    CLASS = "the sourcedId of the class"
    GRADING_PERIOD = "the sourcedId of the grading period"


@dataclass(frozen=True)
class Options:
    identity: Identity | None = None  # None: the one recommended for the format
    template: bytes | None = None
    class_id: str = ""
    grading_period: str = ""
    missing: Missing = Missing.ZERO
    day: date = field(default_factory=timezone.localdate)  # the date of the export
    now: datetime = field(default_factory=timezone.now)


@dataclass(frozen=True)
class Unmatched:
    """A student who cannot be named correctly in the file, and why."""

    student: StudentRow
    reason: str


class Export(ABC):
    """An export format. `unmatched` and `refuse` are called before `write`, which gets only students who can be matched."""

    name: ClassVar[str]
    label: ClassVar[str]
    extension: ClassVar[str]
    media_type: ClassVar[str]
    # the supported identifiers, recommended one first; empty for files for people
    identities: ClassVar[tuple[Identity, ...]] = ()
    needs: ClassVar[tuple[RequiredOption, ...]] = ()
    excused: ClassVar[str] = ""  # the text for an excused student; empty if the format has none
    by_title: ClassVar[bool] = False  # whether the target system identifies assignments by title only

    def identity(self, options: Options) -> Identity:
        chosen = options.identity or self.identities[0]
        if chosen not in self.identities:
            known = ", ".join(identity.words for identity in self.identities)
            raise Refused(f"{self.label} cannot identify students by {chosen.words}. Use one of: {known}.")
        return chosen

    def unmatched(self, sheet: GradeSheet, options: Options) -> list[Unmatched]:
        """Return the students who cannot be matched, in the order of the sheet."""
        return self._unmatched_by(sheet, self.identity(options)) if self.identities else []

    def refuse(self, sheet: GradeSheet, options: Options) -> None:
        """Refuse a file that would be misread as a whole, for example because of a title or a score."""
        if self.by_title:
            refuse_same_titles(sheet, self.label)

    def remarks(self, sheet: GradeSheet, options: Options) -> list[str]:
        """Return notes on behaviour of the target system that may be surprising."""
        return []

    @abstractmethod
    def write(self, sheet: GradeSheet, options: Options) -> bytes: ...

    def misread(self, identity: Identity, value: str) -> str:
        """Return why the target system would misread this id, or an empty string."""
        return ""

    def _unmatched_by(self, sheet: GradeSheet, identity: Identity) -> list[Unmatched]:
        shared = defaultdict(list)
        for student in sheet.students:
            shared[identity.of(student).casefold()].append(student)
        reasons = (
            (student, self._reason(identity, student, shared[identity.of(student).casefold()])) for student in sheet.students
        )
        return [Unmatched(student, reason) for student, reason in reasons if reason]

    def _reason(self, identity: Identity, student: StudentRow, same: Sequence[StudentRow]) -> str:
        value = identity.of(student)
        if not value.strip():
            return f"has no {identity.words}"
        if any(unicodedata.category(letter) in UNSEEN for letter in value):
            return f"{identity.words} contains a control character"
        if value != value.strip():
            return f"{identity.words} '{value}' begins or ends with a space"
        if len(same) > 1:
            other = next(namesake for namesake in same if namesake is not student)
            return f"{identity.words} {value} is also used by {other.login}"
        return self.misread(identity, value)


def grades(sheet: GradeSheet, student: StudentRow, none: str = "", excused: str = "") -> list[str]:
    """Format a student's row, in the order of the columns."""
    cells = (sheet.cell(student, column) for column in sheet.columns)
    return [excused if excused and cell.excused else grade(cell.points, none) for cell in cells]


def grade(points: Decimal | None, none: str = "") -> str:
    """Format points with two decimals, a decimal point and no thousands separator."""
    return none if points is None else f"{rounded(points):f}"


def shortest(points: Decimal) -> str:
    """Format the points of an assignment without trailing zeros: 10 or 12.5."""
    return f"{points:f}".rstrip("0").rstrip(".") if "." in f"{points:f}" else f"{points:f}"


def one_line(text: str) -> str:
    """Replace characters in a name or title that would break a line of the file."""
    return "".join(" " if unicodedata.category(letter) in UNSEEN else letter for letter in text).strip()


def title_of(column: AssignmentColumn) -> str:
    """Return a column's title for use in a file, or its slug if nothing of the title is visible."""
    return one_line(column.title) or column.slug


def csv_bytes(rows: Iterable[Sequence[str]], *, mark: bool = False, quote_all: bool = False) -> bytes:
    """Write CSV according to RFC 4180 in UTF-8, optionally with the byte order mark by which Excel recognises it."""
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode("utf-8-sig" if mark else "utf-8")


def refuse_same_titles(sheet: GradeSheet, label: str) -> None:
    seen: dict[str, str] = {}
    for column in sheet.columns:
        other = seen.setdefault(title_of(column).casefold(), column.slug)
        if other != column.slug:
            raise Refused(
                f"{label} identifies assignments by their titles, but two have the title '{column.title}'. "
                "Rename one of them, or export one without the other."
            )


def above_the_most(sheet: GradeSheet) -> list[str]:
    """Describe scores above the maximum of their assignment, which only staff can set."""
    cells = ((student, column, sheet.cell(student, column).points) for student in sheet.students for column in sheet.columns)
    return [
        f"{student.name} has {grade(points)} of {shortest(column.points)} in {column.title}"
        for student, column, points in cells
        if points is not None and points > column.points
    ]
