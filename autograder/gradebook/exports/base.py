"""What every format is asked, and what they share: who can be matched, and how a number is written.

An LMS gives grades to whoever the file names. So nobody is written whose id is missing, is another's too, or would be read
as something else: those are told before there is a file. Ids and numbers of an LMS's file are written as they are; what a
spreadsheet would take for a formula is disarmed only in the files for people.
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
from autograder.gradebook.scores import rounded
from autograder.gradebook.sheet import Column, Sheet, Student

UNSEEN = {"Cc", "Zl", "Zp"}  # control characters and line ends


class Identity(StrEnum):
    """Which of a student's names the other side knows her by."""

    LMS = "lms"
    SIS = "sis"
    LOGIN = "login"
    EMAIL = "email"

    @property
    def words(self) -> str:
        return {"lms": "LMS id", "sis": "SIS id", "login": "login", "email": "e-mail"}[self.value]

    def of(self, student: Student) -> str:
        return {"lms": student.lms_id, "sis": student.sis_id, "login": student.login, "email": student.email}[self.value]


class Missing(StrEnum):
    """What is written where work is past due and was never graded."""

    ZERO = "zero"
    EMPTY = "empty"

    @property
    def words(self) -> str:
        return {"zero": "0 points, as in the gradebook", "empty": "an empty cell"}[self.value]


class Need(StrEnum):
    """What a format cannot be written without, beside the grades."""

    TEMPLATE = "a file that was downloaded from the LMS"
    CLASS = "the sourcedId of the class"
    GRADING_PERIOD = "the sourcedId of the grading period"


@dataclass(frozen=True)
class Options:
    identity: Identity | None = None  # None: the one that the format is best with
    template: bytes | None = None
    class_id: str = ""
    grading_period: str = ""
    missing: Missing = Missing.ZERO
    day: date = field(default_factory=timezone.localdate)  # of the export
    now: datetime = field(default_factory=timezone.now)


@dataclass(frozen=True)
class Unmatched:
    """A student whom the file would not, or wrongly, name; and why."""

    student: Student
    reason: str


class Export(ABC):
    """A format. `unmatched` and `refuse` come before `write`: it is given only students who can be named."""

    name: ClassVar[str]
    label: ClassVar[str]
    extension: ClassVar[str]
    media_type: ClassVar[str]
    identities: ClassVar[tuple[Identity, ...]] = ()  # that it can be asked for, the best first; none for people's files
    needs: ClassVar[tuple[Need, ...]] = ()
    excused: ClassVar[str] = ""  # what a cell says there of an excused student; empty: it has no word for it
    by_title: ClassVar[bool] = False  # whether the other side tells assignments apart by their titles alone

    def identity(self, options: Options) -> Identity:
        chosen = options.identity or self.identities[0]
        if chosen not in self.identities:
            known = ", ".join(one.words for one in self.identities)
            raise Refused(f"{self.label} does not know students by their {chosen.words}. It knows them by: {known}.")
        return chosen

    def unmatched(self, sheet: Sheet, options: Options) -> list[Unmatched]:
        """In the order of the sheet."""
        return self._unmatched_by(sheet, self.identity(options)) if self.identities else []

    def refuse(self, sheet: Sheet, options: Options) -> None:
        """What stands against the file as a whole: a title or a score that would be misread."""
        if self.by_title:
            refuse_same_titles(sheet, self.label)

    def remarks(self, sheet: Sheet, options: Options) -> list[str]:
        """What the other side does with this file that may surprise."""
        return []

    @abstractmethod
    def write(self, sheet: Sheet, options: Options) -> bytes: ...

    def misread(self, identity: Identity, value: str) -> str:
        """Why the other side would take this id for another, or nothing."""
        return ""

    def _unmatched_by(self, sheet: Sheet, identity: Identity) -> list[Unmatched]:
        shared = defaultdict(list)
        for student in sheet.students:
            shared[identity.of(student).casefold()].append(student)
        reasons = ((one, self._reason(identity, one, shared[identity.of(one).casefold()])) for one in sheet.students)
        return [Unmatched(student, reason) for student, reason in reasons if reason]

    def _reason(self, identity: Identity, student: Student, same: Sequence[Student]) -> str:
        value = identity.of(student)
        if not value.strip():
            return f"has no {identity.words}"
        if any(unicodedata.category(letter) in UNSEEN for letter in value):
            return f"{identity.words} has a control character"
        if value != value.strip():
            return f"{identity.words} '{value}' begins or ends with a space"
        if len(same) > 1:
            other = next(one for one in same if one is not student)
            return f"{identity.words} {value} is also that of {other.login}"
        return self.misread(identity, value)


def grades(sheet: Sheet, student: Student, none: str = "", excused: str = "") -> list[str]:
    """A student's row, in the order of the columns."""
    cells = (sheet.cell(student, column) for column in sheet.columns)
    return [excused if excused and cell.excused else grade(cell.points, none) for cell in cells]


def grade(points: Decimal | None, none: str = "") -> str:
    """Two places, a decimal point, and nothing between the thousands."""
    return none if points is None else f"{rounded(points):f}"


def shortest(points: Decimal) -> str:
    """What an assignment is worth where the other side writes it without zeros: 10 or 12.5."""
    return f"{points:f}".rstrip("0").rstrip(".") if "." in f"{points:f}" else f"{points:f}"


def one_line(text: str) -> str:
    """A name or title without what would break a line of the file."""
    return "".join(" " if unicodedata.category(letter) in UNSEEN else letter for letter in text).strip()


def title_of(column: Column) -> str:
    """As a file can have it; its slug where nothing of it can be seen."""
    return one_line(column.title) or column.slug


def csv_bytes(rows: Iterable[Sequence[str]], *, mark: bool = False, quote_all: bool = False) -> bytes:
    """As RFC 4180 has it, in UTF-8; with the mark by which Excel knows that it is."""
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode("utf-8-sig" if mark else "utf-8")


def refuse_same_titles(sheet: Sheet, label: str) -> None:
    seen: dict[str, str] = {}
    for column in sheet.columns:
        other = seen.setdefault(title_of(column).casefold(), column.slug)
        if other != column.slug:
            raise Refused(
                f"{label} tells assignments apart by their titles, and two are called '{column.title}'. "
                "Rename one of them, or export one without the other."
            )


def above_the_most(sheet: Sheet) -> list[str]:
    """Scores above what their assignment is worth: somebody decided so."""
    cells = ((one, column, sheet.cell(one, column).points) for one in sheet.students for column in sheet.columns)
    return [
        f"{one.name} has {grade(points)} of {shortest(column.points)} in {column.title}"
        for one, column, points in cells
        if points is not None and points > column.points
    ]
