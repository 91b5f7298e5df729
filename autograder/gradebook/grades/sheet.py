"""The gradebook of a course as one value: students, assignments and scores, for pages and exports.

It contains the scores of each assignment, but no totals (see `totals`). For a frozen gradebook, it contains the values from
when it was frozen.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

import msgspec
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Coalesce

from autograder.courses.models import Assignment, Course, Membership, Role, Section
from autograder.courses.people.extensions import terms_where_extended
from autograder.courses.person_names import by_name, listed_name
from autograder.courses.selectors import assignment_of
from autograder.gradebook.grades.frozen import Frozen, FrozenBasis, frozen_in
from autograder.gradebook.grades.scores import Score, scores_of_course

STUDENT = (  # the fields of a Student, in order
    "pk",
    "user__username",
    "user__email",
    "user__first_name",
    "user__last_name",
    "section_name",
    "lms_id",
    "sis_id",
)
NO_SECTION = Coalesce("section__name", Value(""))


@dataclass(frozen=True)
class StudentRow:
    """A row: a student with all identifiers that the school uses."""

    membership_id: int
    login: str
    email: str = ""
    first_name: str = ""
    last_name: str = ""
    section: str = ""
    lms_id: str = ""
    sis_id: str = ""

    @property
    def name(self) -> str:
        """The name for sorted lists, or the login if no name is known."""
        return listed_name(self.first_name, self.last_name) or self.login


@dataclass(frozen=True)
class AssignmentColumn:
    """An assignment."""

    assignment_id: int
    slug: str
    title: str
    points: Decimal
    unit: str = ""
    opens_at: datetime | None = None
    due_at: datetime | None = None
    by_hand: Decimal = Decimal(0)  # the part of the points given by hand


class GradeCell(msgspec.Struct, frozen=True, gc=False):
    """A student's score in an assignment. `points` is None while nothing is graded."""

    points: Decimal | None = None
    overridden: bool = False
    late: bool = False
    submission_id: int | None = None  # the submission that counts
    remaining: float = 1.0  # the share that remains after lateness
    days_late: int = 0  # a started day counts as a full one
    late_days: int = 0  # of the student's late days, used for it
    excused: bool = False  # the assignment does not count for the student
    missing: bool = False  # nothing was submitted, which counts as 0 points
    unmarked: bool = False  # points by hand are missing


EMPTY = GradeCell()
EXCUSED = GradeCell(excused=True)
MISSING = GradeCell(Decimal(0), missing=True)


@dataclass(frozen=True)
class GradeSheet:
    slug: str
    title: str
    time_zone: str
    students: tuple[StudentRow, ...]
    columns: tuple[AssignmentColumn, ...]
    cells: Mapping[tuple[int, int], GradeCell]  # by membership and assignment
    # due dates that differ from the assignment's
    extended: Mapping[tuple[int, int], datetime | None] = field(default_factory=dict)
    frozen: Frozen | None = None
    hidden: frozenset[int] = frozenset()  # assignments whose points the reader may not see yet

    def cell(self, student: StudentRow, column: AssignmentColumn) -> GradeCell:
        return self.cells.get((student.membership_id, column.assignment_id), EMPTY)

    def due_at(self, student: StudentRow, column: AssignmentColumn) -> datetime | None:
        """Return the due date of a student in an assignment."""
        return self.extended.get((student.membership_id, column.assignment_id), column.due_at)

    def points(self, student: StudentRow) -> list[Decimal | None]:
        """Return a student's points, in the order of the columns."""
        return [self.cell(student, column).points for column in self.columns]

    def hiding(self, assignments: Collection[int]) -> "GradeSheet":
        """Return the sheet without the points of these assignments, and without 0 points for missing them."""
        hidden = frozenset(assignments)
        cells = {cell: found for cell, found in self.cells.items() if cell[1] not in hidden}
        undue = {(student.membership_id, pk): None for student in self.students for pk in hidden}
        return replace(self, cells=cells, extended={**self.extended, **undue}, hidden=hidden)

    def missing(self, now: datetime) -> list[tuple[int, int]]:
        """Return what is past due and was never graded, by membership and assignment. It counts as 0 in the total."""
        at = self.frozen.at if self.frozen else now
        return [
            (student.membership_id, column.assignment_id)
            for student in self.students
            for column in self.columns
            if self.cell(student, column) is EMPTY and self._is_past_due(student, column, at)
        ]

    def with_zeros(self, now: datetime) -> "GradeSheet":
        """Return the sheet with 0 points for missing work."""
        return replace(self, cells={**self.cells, **dict.fromkeys(self.missing(now), MISSING)})

    def _is_past_due(self, student: StudentRow, column: AssignmentColumn, at: datetime) -> bool:
        due_at = self.due_at(student, column)
        return due_at is not None and due_at <= at

    def without(self, students: Collection[StudentRow]) -> "GradeSheet":
        out = {student.membership_id for student in students}
        return replace(self, students=tuple(student for student in self.students if student.membership_id not in out))


def sheet_of(course: Course, *, assignments: Sequence[str] = (), section: Section | None = None) -> GradeSheet:
    """Return the sheet of all students of a course or section, with all assignments or those with these slugs."""
    members = course.memberships.filter(role=Role.STUDENT, removed_at=None)
    return sheet_for(course, members if section is None else members.filter(section=section), assignments=assignments)


def in_order(members: QuerySet[Membership]) -> QuerySet[Membership]:
    """Sort members as in lists of names and grades."""
    return members.select_related("user", "section").order_by(*by_name())


def sheet_for(
    course: Course,
    members: QuerySet[Membership],
    *,
    assignments: Sequence[str] = (),
    scores: Mapping[tuple[int, int], Score] | None = None,
) -> GradeSheet:
    """Return the sheet of these members.

    Pass `scores` if they have been loaded already. They are ignored for a frozen gradebook, which may contain other
    assignments.
    """
    frozen = frozen_in(course.pk)
    there = {assignment.slug: assignment for assignment in course.assignments.filter(_stands(frozen))}
    chosen = [there.get(slug) or assignment_of(course, slug) for slug in dict.fromkeys(assignments)] or list(there.values())
    students = tuple(StudentRow(*row) for row in in_order(members).annotate(section_name=NO_SECTION).values_list(*STUDENT))
    rows = [student.membership_id for student in students]
    terms = terms_where_extended(chosen, rows)
    if scores is None or frozen is not None:
        scores = scores_of_course(chosen, rows, terms)
    outside = {assignment.pk for assignment in chosen if assignment.graded_outside}
    cells = {
        key: _cell(score, outside=key[1] in outside)
        for key, score in scores.items()
        if score.points is not None or score.excuse is not None
    }
    columns, extended = (
        tuple(_column(assignment) for assignment in chosen),
        {cell: own.due_at for cell, own in terms.items()},
    )
    sheet = GradeSheet(course.slug, course.title, course.time_zone, students, columns, cells, extended)
    return sheet if frozen is None else _as_frozen(sheet, frozen)


def _stands(frozen: Frozen | None) -> Q:
    """Select the assignments of the sheet, including those removed while the gradebook is frozen."""
    in_freeze = frozen.basis.assignments if frozen and frozen.basis else {}
    return Q(removed_at=None) | Q(pk__in=list(in_freeze))


def _column(assignment: Assignment) -> AssignmentColumn:
    return AssignmentColumn(
        assignment_id=assignment.pk,
        slug=assignment.slug,
        title=assignment.title,
        points=assignment.points,
        unit=assignment.unit,
        opens_at=assignment.opens_at,
        due_at=assignment.due_at,
        by_hand=assignment.points_by_hand,
    )


def _cell(score: Score, *, outside: bool) -> GradeCell:
    """Return the cell for a score. Work graded outside has no computed score, so an imported one does not count as overridden."""
    if score.excuse is not None:
        return EXCUSED
    counted = score.counted
    if counted is None:
        return GradeCell(score.points, overridden=not outside)
    days = counted.lateness.days
    return GradeCell(
        score.points,
        score.override is not None,
        days > 0,
        counted.submission_id,
        counted.remaining,
        days,
        score.late_days,
        unmarked=score.unmarked,
    )


def _as_frozen(sheet: GradeSheet, frozen: Frozen) -> GradeSheet:
    """Return the sheet with frozen points. Details of a score are kept only if they still lead to the same points."""
    cells = {}
    for cell in ((student.membership_id, column.assignment_id) for student in sheet.students for column in sheet.columns):
        points = frozen.points(*cell)
        if frozen.excused(*cell):
            cells[cell] = EXCUSED
        elif points is not None:
            now = sheet.cells.get(cell, EMPTY)
            cells[cell] = now if now.points == points else GradeCell(points)
    if frozen.basis is None:
        return replace(sheet, cells=cells, frozen=frozen)
    columns = tuple(_column_as_frozen(column, frozen.basis) for column in sheet.columns)
    extended = {(member, pk): at for member, own in frozen.basis.extended.items() for pk, at in own.items()}
    return replace(sheet, cells=cells, frozen=frozen, columns=columns, extended=extended)


def _column_as_frozen(column: AssignmentColumn, basis: FrozenBasis) -> AssignmentColumn:
    frozen = basis.assignments.get(column.assignment_id)
    return column if frozen is None else replace(column, points=frozen.points, unit=frozen.unit, due_at=frozen.due_at)
