"""A student's score in an assignment: by its policy, or by what somebody decided."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from django.db import transaction
from django.utils import timezone

from autograder.courses import audit
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership, User
from autograder.courses.selectors import terms_of
from autograder.gradebook.models import Override
from autograder.gradebook.policies import POLICIES, Counted, Scored
from autograder.submissions.models import Grading, Kind

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Score:
    """What a student has in an assignment, and how it came about. `points` is None while nothing is graded."""

    points: Decimal | None
    counted: Counted | None
    override: Override | None


def score_of(assignment: Assignment, membership: Membership) -> Score:
    return scores_of(assignment, [membership])[membership.pk]


def scores_of(assignment: Assignment, memberships: Sequence[Membership]) -> dict[int, Score]:
    """Of many students at once, in a handful of queries."""
    scored: dict[int, list[Scored]] = defaultdict(list)
    due = {membership.pk: terms_of(assignment, membership).due_at for membership in memberships}
    gradings = Grading.objects.filter(
        current=True, submission__assignment=assignment, submission__kind=Kind.SUBMIT, submission__membership__in=memberships
    ).select_related("submission")
    for grading in gradings.order_by("submission__submitted_at", "submission_id"):
        submission = grading.submission
        limit = due[submission.membership_id]
        late = limit is not None and submission.submitted_at > limit
        share = grading.score / grading.max_score if grading.max_score else 0.0
        scored[submission.membership_id].append(Scored(submission.pk, submission.submitted_at, share, late))
    standing = {o.membership_id: o for o in Override.objects.filter(assignment=assignment, undone_at=None)}
    policy = POLICIES[assignment.policy]
    found = {}
    for membership in memberships:
        counted = policy(scored[membership.pk], float(assignment.late_share))
        override = standing.get(membership.pk)
        points = override.points if override else _points(counted, assignment)
        found[membership.pk] = Score(points, counted, override)
    return found


def _points(counted: Counted | None, assignment: Assignment) -> Decimal | None:
    if counted is None:
        return None
    return (Decimal(str(counted.share)) * assignment.points).quantize(CENT, ROUND_HALF_UP)


def override(*, assignment: Assignment, membership: Membership, points: Decimal, reason: str, by: User) -> Override:
    """Let these points stand. An override that stood before is undone by it."""
    if not reason.strip():
        raise Refused("Say why the score is another one: the student will read it.")
    if points < 0:
        raise Refused("A score cannot be less than 0.")
    with transaction.atomic():
        before = score_of(assignment, membership).points
        _undo(assignment, membership, by)
        made = Override.objects.create(assignment=assignment, membership=membership, points=points, reason=reason, author=by)
        audit.record(
            *("override", membership), actor=by, course=assignment.course, assignment=assignment.slug, reason=reason,
            before=None if before is None else str(before), after=str(points),
        )  # fmt: skip
    return made


def undo_override(*, assignment: Assignment, membership: Membership, by: User) -> None:
    with transaction.atomic():
        if not _undo(assignment, membership, by):
            raise Refused("There is no override to undo.")
        audit.record("override-undone", membership, actor=by, course=assignment.course, assignment=assignment.slug)


def _undo(assignment: Assignment, membership: Membership, by: User) -> bool:
    standing = Override.objects.filter(assignment=assignment, membership=membership, undone_at=None)
    return bool(standing.update(undone_at=timezone.now(), undone_by=by))
