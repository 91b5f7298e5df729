"""Read access to points that staff give by hand, and their effect on a submission's share.

An assignment with criteria is worth the points of its checks and its criteria together. The share of a submission refers to
all of these points, so that policies and late work handle a single number.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Q, Sum

from autograder.courses.models import Asks, Assignment, Criterion
from autograder.courses.policies import ByHand
from autograder.gradebook.models import Mark, Marking
from autograder.submissions.handing_in.answers import answers_of
from autograder.submissions.models import Answer, Kind, Submission

NONE = Decimal(0)
DIGITS = 15  # of a share, so that equal points computed in different ways give equal shares


@dataclass(frozen=True)
class RubricLine:
    """A criterion, a submission's points for it, None if it is not marked, and the answer that it asks for."""

    criterion: Criterion
    points: Decimal | None
    answer: Answer | None = None


@dataclass(frozen=True)
class Rubric:
    """The criteria of an assignment with the marks of one submission."""

    lines: tuple[RubricLine, ...]
    marking: Marking | None = None

    @property
    def by_hand(self) -> ByHand:
        given = [line.points for line in self.lines if line.points is not None]
        of = sum((line.criterion.points for line in self.lines), NONE)
        return ByHand(sum(given, NONE), of, len(given) == len(self.lines))


def share_of(checks: float, by_hand: ByHand | None, points: Decimal) -> float:
    """Return the share of all points for a submission whose checks reached this share of theirs."""
    if by_hand is None:
        return checks
    return round((checks * float(points - by_hand.of) + float(by_hand.points)) / float(points), DIGITS)


def criteria_of(assignment: Assignment) -> list[Criterion]:
    return list(Criterion.objects.filter(assignment=assignment, removed_at=None)) if assignment.points_by_hand else []


def rubric_of(submission: Submission) -> Rubric | None:
    """Return the rubric of a submission, or None for runs and for assignments without criteria."""
    criteria = criteria_of(submission.assignment) if submission.kind == Kind.SUBMIT else []
    if not criteria:
        return None
    marks = list(
        Mark.objects.filter(marking__submission=submission, marking__replaced_at=None).select_related("marking__author")
    )
    given = {mark.criterion_id: mark.points for mark in marks}
    answers = answers_of(submission) if any(criterion.asks != Asks.NOTHING for criterion in criteria) else {}
    lines = tuple(RubricLine(criterion, given.get(criterion.pk), answers.get(criterion.pk)) for criterion in criteria)
    return Rubric(lines, marks[0].marking if marks else None)


def unmarked(assignment: Assignment) -> ByHand | None:
    """Return the points by hand of a submission before it is marked, or None if the assignment has no criteria."""
    return ByHand(NONE, assignment.points_by_hand, False) if assignment.points_by_hand else None


def by_hand_of(submissions: Sequence[Submission]) -> dict[int, ByHand]:
    """Return the points by hand of submissions whose assignment has criteria, in at most one query."""
    empty = {
        submission.pk: found
        for submission in submissions
        if submission.kind == Kind.SUBMIT and (found := unmarked(submission.assignment)) is not None
    }
    if not empty:
        return {}
    return empty | marks_where({submission.assignment for submission in submissions}, Q(marking__submission__in=list(empty)))


def marks_where(assignments: Collection[Assignment], those: Q) -> dict[int, ByHand]:
    """Return the points by hand of the submissions that have marks."""
    worth = {assignment.pk: assignment.points_by_hand for assignment in assignments if assignment.points_by_hand}
    if not worth:
        return {}
    stands = Mark.objects.filter(those, marking__replaced_at=None, criterion__removed_at=None)
    rows = (
        stands.filter(marking__submission__assignment__in=list(worth))
        .order_by()
        .values_list("marking__submission_id", "marking__submission__assignment_id")
        .annotate(Sum("points"), Sum("criterion__points"))
    )
    return {
        submission: ByHand(points, worth[assignment], marked_of == worth[assignment])
        for submission, assignment, points, marked_of in rows
    }
