"""The progress of every student in every assignment of a course, in a constant number of queries.

It shows the work, not the grade: scores set by hand and work graded outside Gradus are in the gradebook. Sources and reports
are not read.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property

import msgspec
from django.db.models import Count, F, Max, QuerySet, Value
from django.db.models.functions import NullIf

from autograder.courses.models import Assignment, Membership, Section
from autograder.courses.person_names import by_name
from autograder.courses.rights import students_of
from autograder.courses.setup.units import in_units
from autograder.gradebook.grades.scores import passes
from autograder.submissions.models import COUNTING, Draft, Grading, Kind, Submission, Work

STUCK_AFTER = 7  # attempts without a pass, after which a student counts as stuck
FETCH_SIZE = 5_000


class TileState(StrEnum):
    """The states of a tile, roughly in the order of increasing need for attention."""

    NONE = "none"
    PASSED = "pass"
    PARTIAL = "part"
    FAILED = "fail"
    WAITING = "wait"
    INTERNAL = "intern"
    STUCK = "stuck"


class Tile(msgspec.Struct, frozen=True):
    """One student in one assignment. Runs and internal errors are not attempts."""

    share: float = 0.0  # the best so far
    attempts: int = 0
    newest: int | None = None  # the latest submission
    coming: TileState | None = None  # waiting or internal error, for a submission newer than the graded ones

    @property
    def passed(self) -> bool:
        return self.attempts > 0 and passes(self.share)

    @property
    def stuck(self) -> bool:
        return self.attempts >= STUCK_AFTER and not self.passed

    @property
    def state(self) -> TileState:
        if self.passed:
            return TileState.PASSED
        if self.coming is not None:
            return self.coming
        if self.stuck:
            return TileState.STUCK
        if not self.attempts:
            return TileState.NONE
        return TileState.PARTIAL if self.share > 0 else TileState.FAILED


UNTOUCHED = Tile()


@dataclass(frozen=True)
class MatrixRow:
    student: Membership
    tiles: Mapping[int, Tile]  # by assignment, without those that were never started
    seen_at: datetime | None  # when the student last submitted, ran or saved something

    def tile(self, assignment: Assignment) -> Tile:
        return self.tiles.get(assignment.pk, UNTOUCHED)

    @cached_property
    def states(self) -> set[TileState]:
        return {tile.state for tile in self.tiles.values()}

    @property
    def most_attempts(self) -> int:
        """The most attempts in an assignment that is not passed yet."""
        return max((tile.attempts for tile in self.tiles.values() if not tile.passed), default=0)

    @property
    def stuck(self) -> bool:
        return any(tile.stuck for tile in self.tiles.values())


@dataclass(frozen=True)
class ProgressMatrix:
    assignments: tuple[Assignment, ...]  # grouped by unit
    rows: tuple[MatrixRow, ...]  # by name

    @property
    def passed(self) -> Counter[int]:
        """The number of students who passed, by assignment."""
        return Counter(pk for row in self.rows for pk, tile in row.tiles.items() if tile.passed)

    def of_section(self, section: Section | None) -> "ProgressMatrix":
        if section is None:
            return self
        return ProgressMatrix(self.assignments, tuple(row for row in self.rows if row.student.section_id == section.pk))


def matrix_of(staff: Membership) -> ProgressMatrix:
    """Return the matrix of the students whose work this person may see."""
    students = students_of(staff)
    exercises = staff.course.assignments.filter(removed_at=None).exclude(version=None)
    in_order = exercises.select_related("course").order_by("position", "id")
    assignments = tuple(in_units(in_order, lambda assignment: assignment.unit))
    tiles: dict[int, dict[int, Tile]] = {}
    for (membership_id, assignment_id), tile in _tiles(staff, students, assignments).items():
        tiles.setdefault(membership_id, {})[assignment_id] = tile
    seen = _seen(students)
    members = students.select_related("user", "section")
    return ProgressMatrix(
        assignments,
        tuple(MatrixRow(member, tiles.get(member.pk, {}), seen.get(member.pk)) for member in members.order_by(*by_name())),
    )


def _tiles(
    staff: Membership, students: QuerySet[Membership], assignments: Sequence[Assignment]
) -> dict[tuple[int, int], Tile]:
    known = {assignment.pk for assignment in assignments}
    graded = (
        Grading.objects.filter(COUNTING, submission__kind=Kind.SUBMIT)
        .filter(submission__membership__in=students, submission__assignment__in=known)
        .order_by()
        .values_list("submission__membership_id", "submission__assignment_id")
        .annotate(
            best=Max(F("score") / NullIf(F("max_score"), Value(0.0))),
            attempts=Count("id"),
            newest=Max("submission_id"),
        )
    )
    found = {
        (member, assignment): Tile(best or 0.0, n, new) for member, assignment, best, n, new in graded.iterator(FETCH_SIZE)
    }
    for member, assignment, submission_id, state in _coming(staff, students):
        tile = found.get((member, assignment), UNTOUCHED)
        if assignment in known and (tile.newest is None or submission_id > tile.newest):
            found[member, assignment] = msgspec.structs.replace(tile, newest=submission_id, coming=state)
    return found


def _coming(staff: Membership, students: QuerySet[Membership]) -> list[tuple[int, int, int, TileState]]:
    """Return submissions that are being graded or failed with an internal error, in order. A newer graded submission hides them."""
    live = Work.objects.filter(course_id=staff.course_id, membership__in=students, batch=None, submission__kind=Kind.SUBMIT)
    columns = ("membership_id", "submission__assignment_id", "submission_id")
    waiting = [(*row, TileState.WAITING) for row in live.filter(ended_at=None).values_list(*columns)]
    failed = live.filter(state=Work.State.FAILED).values_list(*columns)
    return sorted([*waiting, *((*row, TileState.INTERNAL) for row in failed)], key=lambda row: row[2])


def _seen(students: QuerySet[Membership]) -> dict[int, datetime]:
    handed_in = Submission.objects.filter(membership__in=students).order_by()
    saved = Draft.objects.filter(membership__in=students).order_by()
    seen = dict(handed_in.values_list("membership_id").annotate(Max("submitted_at")))
    for membership_id, at in saved.values_list("membership_id").annotate(Max("saved_at")):
        seen[membership_id] = max(at, seen.get(membership_id, at))
    return seen
