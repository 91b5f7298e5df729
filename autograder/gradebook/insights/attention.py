"""Finds students who need attention, and why: many failures, repeated identical mistakes, or a long silence.

Also counts what is waiting for an answer: regrade requests, and checks that many students dispute.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min

from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import students_of
from autograder.gradebook.grades.matrix import MatrixRow, ProgressMatrix, Tile, TileState
from autograder.gradebook.models import RegradeRequest
from autograder.gradebook.regrades.disputed_checks import Dispute, disputes_of
from autograder.gradebook.regrades.regrade_requests import requests_for
from autograder.submissions.models import COUNTING, Grading, Kind, Submission

STREAK_LENGTH = 3  # identical diagnoses in a row
SILENT_AFTER = timedelta(days=14)
RECENT = timedelta(days=7)
MAX_EXAMINED = 3_000  # newest submissions examined: a student who is stuck now has failed recently

Cell = tuple[int, int]  # membership, assignment


@dataclass(frozen=True)
class Streak:
    """A student's latest failures in an assignment that share one explanation. An empty key means that none is known."""

    key: str
    length: int
    title: str = ""  # empty for gradings stored before explanations had titles


@dataclass(frozen=True)
class StudentNeed:
    """A student and the most important reason to talk to them. Without an assignment, the reason is their silence."""

    row: MatrixRow
    assignment: Assignment | None = None
    tile: Tile | None = None
    streak: Streak | None = None

    @property
    def rank(self) -> tuple[int, int]:
        if self.tile is None:
            return 2, 0
        return (0 if self.tile.stuck else 1), -self.tile.attempts


@dataclass(frozen=True)
class WaitingForStaff:
    """What is waiting for an answer of staff. `oldest` is None without open requests."""

    requests: int
    oldest: datetime | None
    disputes: Sequence[Dispute]

    def __bool__(self) -> bool:
        return bool(self.requests or self.disputes)


def waiting_for(staff: Membership) -> WaitingForStaff:
    """Return what is waiting, for the students whose requests this person may answer."""
    asked = requests_for(staff).filter(state=RegradeRequest.State.OPEN).order_by()
    found = asked.aggregate(requests=Count("id"), oldest=Min("asked_at"))
    return WaitingForStaff(found["requests"], found["oldest"], disputes_of(staff))


def needs_of(matrix: ProgressMatrix, streaks: dict[Cell, Streak], now: datetime) -> list[StudentNeed]:
    """Return one entry for each student who needs attention, the most urgent first."""
    found = [need for row in matrix.rows if (need := _need(row, matrix.assignments, streaks, now)) is not None]
    return sorted(found, key=lambda need: need.rank)


def needs_you_first(matrix: ProgressMatrix, needs: Iterable[StudentNeed]) -> list[MatrixRow]:
    """Return all students: first those with a need, then those with an internal error, waiting work or failures, then the
    rest by name."""
    ranks = {need.row.student.pk: need.rank for need in needs}
    return sorted(matrix.rows, key=lambda row: ranks.get(row.student.pk) or _later(row))


def is_silent(row: MatrixRow, assignments: Sequence[Assignment], now: datetime) -> bool:
    """Return whether a student has done nothing for a long time, although there was something to do all along."""
    before = now - SILENT_AFTER
    if row.seen_at is not None and row.seen_at > before:
        return False
    return any(_waits_for(row, assignment, before, now) for assignment in assignments)


def streaks_of(staff: Membership, now: datetime) -> dict[Cell, Streak]:
    """Return the streaks of recent submissions, by student and assignment. Reads only the key and the title of each diagnosis."""
    newest = Submission.objects.filter(membership__in=students_of(staff), kind=Kind.SUBMIT).order_by("-pk")
    lately = newest.filter(submitted_at__gt=now - RECENT).values_list("pk", flat=True)[:MAX_EXAMINED]
    # in two queries, because sorting would otherwise read all diagnoses
    gradings = Grading.objects.filter(COUNTING, submission_id__in=list(lately)).order_by("-submission_id")
    diagnosis = ("diagnosis__0__key", "diagnosis__0__title")
    columns = ("submission__membership_id", "submission__assignment_id", "verdict", *diagnosis)
    streaks: dict[Cell, Streak] = {}
    ended: set[Cell] = set()
    for membership_id, assignment_id, verdict, key, title in gradings.values_list(*columns):
        cell = membership_id, assignment_id
        so_far = streaks.get(cell)
        if cell in ended:
            continue
        if verdict == "passed" or key is None or (so_far is not None and so_far.key != key):
            ended.add(cell)
        else:
            streaks[cell] = Streak(key, so_far.length + 1, so_far.title) if so_far else Streak(key, 1, title or "")
    return streaks


def _need(
    row: MatrixRow, assignments: Sequence[Assignment], streaks: dict[Cell, Streak], now: datetime
) -> StudentNeed | None:
    open_ones = []
    for assignment in assignments:
        tile = row.tiles.get(assignment.pk)
        if tile is None or tile.passed:
            continue
        streak = streaks.get((row.student.pk, assignment.pk))
        again = streak is not None and streak.length >= STREAK_LENGTH and streak.key
        if tile.stuck or again:
            open_ones.append(StudentNeed(row, assignment, tile, streak))
    if open_ones:
        return min(open_ones, key=lambda need: need.rank)
    return StudentNeed(row) if is_silent(row, assignments, now) else None


def _waits_for(row: MatrixRow, assignment: Assignment, before: datetime, now: datetime) -> bool:
    opened = assignment.opens_at or assignment.course.created_at
    closed = assignment.closes_at is not None and assignment.closes_at < now
    return opened < before and not closed and not row.tile(assignment).passed


def _later(row: MatrixRow) -> tuple[int, int]:
    states = row.states
    order = (TileState.INTERNAL, TileState.WAITING, TileState.FAILED, TileState.PARTIAL)
    first = next((n for n, state in enumerate(order) if state in states), len(order))
    return 3 + first, -row.most_attempts
