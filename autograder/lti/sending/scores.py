"""Computes the scores that an LMS should have of a connected course, and queues those that changed.

Everything comes from the gradebook: a frozen gradebook, overrides, excuses, late work and marks by hand are sent as they count
there. While a student may not know their points yet, nothing is sent that depends on hidden checks.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

import msgspec
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from autograder.courses.models import Assignment, Course, Membership, Role
from autograder.courses.people.extensions import StudentTerms, terms_where_extended
from autograder.courses.policies.lateness import Lateness, late_words
from autograder.gradebook.grades.held_points import points_are_held
from autograder.gradebook.grades.scores import Score, points_for, scores_of_course
from autograder.gradebook.grades.sheet import AssignmentColumn, GradeCell, GradeSheet, StudentRow, sheet_for
from autograder.gradebook.grades.totals import plain
from autograder.lti.models import Context, LineItem, LmsAccount, OutgoingScore
from autograder.lti.sending.changes import Change
from autograder.submissions.handing_in.numbering import readable
from autograder.submissions.models import Kind, Submission, Work

State = OutgoingScore.State
Cell = tuple[int, int]  # membership, assignment
NOTHING = Decimal(0)
AT_ONCE = 500  # rows in a statement


class Activity(StrEnum):
    """How far the student is, in the words of the specification."""

    INITIALIZED = "Initialized"
    SUBMITTED = "Submitted"
    COMPLETED = "Completed"


class Progress(StrEnum):
    """How far grading is. Platforms use points only if it is `FULLY_GRADED`."""

    FULLY_GRADED = "FullyGraded"
    PENDING = "Pending"
    PENDING_MANUAL = "PendingManual"
    FAILED = "Failed"
    NOT_READY = "NotReady"


class WantedScore(msgspec.Struct, frozen=True, gc=False):
    """What an LMS should have for a student in a column."""

    maximum: Decimal
    activity: Activity
    grading: Progress
    comment: str
    points: Decimal | None = None
    submitted_at: datetime | None = None
    submissions: int = 0


class SubmittedWork(msgspec.Struct, gc=False):
    """The submissions of a student in an assignment: how many, which is the number of the latest, and when it came."""

    number: int
    latest_at: datetime
    state: str


class Submitted(msgspec.Struct, frozen=True):
    by_cell: Mapping[Cell, SubmittedWork]
    times: Mapping[int, datetime]  # by submission
    numbers: Mapping[int, int]


def scores_collect(context: Context, change: Change) -> int:
    """Queue the scores that changed and return their number, in a number of queries that does not depend on the students.

    Nothing is stored if another process has collected the same change in the meantime.
    """
    now = timezone.now()
    columns = _columns(context)
    wanted = _wanted(context, columns, _students(context, change.members), now)
    with transaction.atomic():
        return _store(columns, wanted, change.members, now) if change.keep(context, now) else 0


def subs_of(context: Context, people: Collection[int]) -> dict[int, str]:
    """Return how the platform names these people, by user. A name of this registration comes first."""
    accounts = LmsAccount.objects.filter(issuer=context.registration.issuer, user__in=people)
    rows = accounts.values_list("user_id", "sub", "registration_id", "pk")
    own = context.registration.pk
    return {user: sub for user, sub, _, _ in sorted(rows, key=lambda row: (row[2] == own, row[3]))}


def _columns(context: Context) -> list[LineItem]:
    usable = LineItem.objects.filter(context=context, assignment__removed_at=None, trouble="")
    return list(usable.select_related("assignment__course"))


def _students(context: Context, members: Collection[int] | None) -> QuerySet[Membership]:
    people = LmsAccount.objects.filter(issuer=context.registration.issuer).values("user")
    found = Membership.objects.filter(course=context.course, role=Role.STUDENT, removed_at=None, user__in=people)
    return found if members is None else found.filter(pk__in=members)


# -- what the LMS should have --------------------------------------------------------------------------------------------


class _Gradebook(msgspec.Struct, frozen=True):
    """Everything that the scores of a context are computed from."""

    context: Context
    sheet: GradeSheet
    scores: Mapping[Cell, Score]
    terms: Mapping[Cell, StudentTerms]
    submitted: Submitted
    missing: frozenset[Cell]
    now: datetime


def _wanted(
    context: Context, columns: Sequence[LineItem], students: QuerySet[Membership], now: datetime
) -> dict[Cell, WantedScore | None]:
    """Return what the LMS should have, or None where it should have nothing."""
    course = context.course
    assignments = [column.assignment for column in columns]
    members = list(students.values_list("pk", flat=True)) if course is not None and assignments else []
    if course is None or not members:
        return {}
    known = _gradebook(context, course, assignments, members, now)
    columns_of_sheet = {column.assignment_id: column for column in known.sheet.columns}
    return {
        (student.membership_id, assignment.pk): _score(known, student, assignment, columns_of_sheet[assignment.pk])
        for student in known.sheet.students
        for assignment in assignments
    }


def _gradebook(
    context: Context, course: Course, assignments: Sequence[Assignment], members: Sequence[int], now: datetime
) -> _Gradebook:
    terms = terms_where_extended(assignments, members)
    scores = scores_of_course(assignments, members, terms)
    slugs = [assignment.slug for assignment in assignments]
    sheet = sheet_for(course, Membership.objects.filter(pk__in=members), assignments=slugs, scores=scores)
    missing = frozenset(sheet.missing(now)) if context.sends_zeros else frozenset()
    # read after the scores, so that the submission of a score is known
    return _Gradebook(context, sheet, scores, terms, _submitted(assignments, members), missing, now)


def _submitted(assignments: Sequence[Assignment], members: Sequence[int]) -> Submitted:
    of_students = readable(Submission.objects.filter(kind=Kind.SUBMIT, membership__in=members, assignment__in=assignments))
    rows = of_students.filter(work__batch=None).order_by("pk")
    by_cell: dict[Cell, SubmittedWork] = {}
    times, numbers = {}, {}
    for member, assignment, pk, at, state in rows.values_list(
        "membership_id", "assignment_id", "pk", "submitted_at", "work__state"
    ):
        earlier = by_cell.get((member, assignment))
        numbers[pk] = earlier.number + 1 if earlier else 1
        by_cell[member, assignment] = SubmittedWork(numbers[pk], at, state)
        times[pk] = at
    return Submitted(by_cell, times, numbers)


def _score(known: _Gradebook, student: StudentRow, assignment: Assignment, column: AssignmentColumn) -> WantedScore | None:
    key = student.membership_id, assignment.pk
    cell, score, work = known.sheet.cell(student, column), known.scores[key], known.submitted.by_cell.get(key)
    if cell.excused:
        return None
    own = known.terms.get(key) or StudentTerms(None, assignment.due_at, None, None)
    if points_are_held(assignment, own, score, now=known.now):
        return _received(work, column, "Its points are not shown yet.") if work else None
    if cell.points is not None:
        return _graded(known, column, cell, score, work)
    if work is not None:
        return _ungraded(work, column)
    if key in known.missing:
        comment = "Nothing was submitted by the due date."
        return WantedScore(column.points, Activity.INITIALIZED, Progress.FULLY_GRADED, comment, NOTHING)
    return None


def _received(work: SubmittedWork, column: AssignmentColumn, words: str) -> WantedScore:
    comment = f"Submission {work.number} was received. {words}"
    return WantedScore(
        column.points,
        Activity.SUBMITTED,
        Progress.PENDING,
        comment,
        submitted_at=work.latest_at,
        submissions=work.number,
    )


def _ungraded(work: SubmittedWork, column: AssignmentColumn) -> WantedScore:
    if work.state != Work.State.FAILED:
        return _received(work, column, "It has not been graded yet.")
    comment = f"Submission {work.number} could not be graded because of an internal error."
    return WantedScore(
        column.points,
        Activity.SUBMITTED,
        Progress.FAILED,
        comment,
        submitted_at=work.latest_at,
        submissions=work.number,
    )


def _graded(
    known: _Gradebook, column: AssignmentColumn, cell: GradeCell, score: Score, work: SubmittedWork | None
) -> WantedScore:
    """Return the score of graded work. Points that are not final yet are not sent, because some platforms count them."""
    assert cell.points is not None
    counted = cell.submission_id
    submitted_at = known.submitted.times.get(counted) if counted else work.latest_at if work else None
    number = work.number if work else 0
    if cell.unmarked:
        comment = f"Submission {known.submitted.numbers.get(counted or 0)} has not been marked yet."
        return WantedScore(
            column.points,
            Activity.COMPLETED,
            Progress.PENDING_MANUAL,
            comment,
            submitted_at=submitted_at,
            submissions=number,
        )
    points, late = cell.points, late_words(Lateness(cell.days_late), cell.remaining, cell.late_days)
    if counted and not cell.overridden and known.context.lateness_by_lms and score.counted is not None:
        points, late = points_for(score.counted.reached, column.points), ""
    return WantedScore(
        column.points,
        Activity.COMPLETED,
        Progress.FULLY_GRADED,
        _comment(known, points, column, cell, late),
        points=points,
        submitted_at=submitted_at,
        submissions=number,
    )


def _comment(known: _Gradebook, points: Decimal, column: AssignmentColumn, cell: GradeCell, late: str) -> str:
    words = f"{plain(points)} of {plain(column.points)} points"
    if cell.overridden:
        return f"{words}, set by hand."
    if not cell.submission_id:
        return f"{words}."
    number = known.submitted.numbers.get(cell.submission_id)
    return f"{words} for submission {number}{f', {late}' if late and cell.days_late else ''}."


# -- storing it -----------------------------------------------------------------------------------------------------------

VALUES = ("points", "maximum", "activity", "grading", "comment", "submitted_at")
QUEUED = (*VALUES, "submissions", "sequence", "state", "tries", "try_at", "trouble", "changed_at")


def _store(
    columns: Sequence[LineItem], wanted: Mapping[Cell, WantedScore | None], members: Collection[int] | None, now: datetime
) -> int:
    """Queue what differs from what was queued last.

    Another submission alone is no difference: the LMS learns of it with the score that it changes.
    """
    rows = OutgoingScore.objects.filter(line_item__in=columns).select_for_update(of=("self",))
    if members is not None:
        rows = rows.filter(membership__in=members)
    stored = {(row.membership_id, row.line_item_id): row for row in rows}
    changed, new, unsent = [], [], []
    for key, score, row, column in _side_by_side(columns, wanted, stored):
        if row is None:
            if score is not None:
                new.append(_row(column, key[0], score, now))
        elif score is None and row.last_timestamp is None:
            unsent.append(row.pk)
        elif _differs(row, score := score or _withdrawn(row)):
            changed.append(_queued(row, score, now))
    OutgoingScore.objects.filter(pk__in=unsent).delete()
    OutgoingScore.objects.bulk_create(new, batch_size=AT_ONCE)
    OutgoingScore.objects.bulk_update(changed, QUEUED, batch_size=AT_ONCE)
    return len(changed) + len(new)


def _side_by_side(
    columns: Sequence[LineItem], wanted: Mapping[Cell, WantedScore | None], stored: Mapping[Cell, OutgoingScore]
) -> Iterator[tuple[Cell, WantedScore | None, OutgoingScore | None, LineItem]]:
    by_assignment = {column.assignment_id: column for column in columns}
    for key, score in wanted.items():
        column = by_assignment[key[1]]
        yield key, score, stored.get((key[0], column.pk)), column


def _withdrawn(row: OutgoingScore) -> WantedScore:
    """Return what is sent where an earlier score no longer holds, as for an excused student: a score without points, with
    which a platform removes the points that it has. The specification has no word for "excused"."""
    return WantedScore(
        row.maximum,
        Activity.INITIALIZED,
        Progress.NOT_READY,
        "The score was withdrawn.",
        submitted_at=None,
        submissions=row.submissions,
    )


def _differs(row: OutgoingScore, score: WantedScore) -> bool:
    return any(getattr(row, name) != getattr(score, name) for name in VALUES)


def _queued(row: OutgoingScore, score: WantedScore, now: datetime) -> OutgoingScore:
    """Put a new score into a row. One that is being sent right now keeps its claim, and is sent again afterwards."""
    for name in (*VALUES, "submissions"):
        setattr(row, name, getattr(score, name))
    row.sequence += 1
    if row.state in (State.SENT, State.FAILED):
        row.changed_at = now
    if row.state != State.SENDING:
        row.state, row.tries, row.try_at, row.trouble = State.WAITING, 0, now, ""
    return row


def _row(column: LineItem, member: int, score: WantedScore, now: datetime) -> OutgoingScore:
    values = {name: getattr(score, name) for name in (*VALUES, "submissions")}
    return OutgoingScore(line_item=column, membership_id=member, try_at=now, changed_at=now, **values)
