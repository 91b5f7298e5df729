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
from autograder.courses.selectors import terms_of_all
from autograder.gradebook.models import Override
from autograder.gradebook.policies import POLICIES, Counted, Scored
from autograder.submissions.models import Grading, Kind

CENT = Decimal("0.01")
EXACT = Decimal("1e-9")  # floats are right to here: what is half a cent by the numbers of the course is half a cent
MOST = Decimal("99999.99")
LONGEST_REASON = 500


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
    terms = terms_of_all(assignment, memberships)
    gradings = (
        Grading.objects.filter(current=True, submission__assignment=assignment, submission__kind=Kind.SUBMIT)
        .filter(submission__membership__in=memberships)
        .exclude(verdict="internal")
        .order_by("submission__submitted_at", "submission_id")
        .values_list("submission__membership_id", "submission_id", "submission__submitted_at", "score", "max_score")
    )
    for membership_id, submission_id, submitted_at, score, max_score in gradings:  # never their sources and reports
        due_at = terms[membership_id].due_at
        late = due_at is not None and submitted_at > due_at
        share = score / max_score if max_score else 0.0
        scored[membership_id].append(Scored(submission_id, submitted_at, share, late))
    overrides = Override.objects.filter(assignment=assignment, membership__in=memberships, undone_at=None)
    standing = {override.membership_id: override for override in overrides}
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
    return (Decimal(str(counted.share)) * assignment.points).quantize(EXACT, ROUND_HALF_UP).quantize(CENT, ROUND_HALF_UP)


def override(*, assignment: Assignment, membership: Membership, points: Decimal, reason: str, by: User) -> Override:
    """Let these points stand. An override that stood before is undone by it."""
    if not reason.strip():
        raise Refused("Say why the score is another one: the student will read it.")
    if len(reason) > LONGEST_REASON:
        raise Refused(f"The reason has {len(reason)} characters; at most {LONGEST_REASON} are kept.")
    if not points.is_finite() or not 0 <= points <= MOST:
        raise Refused(f"A score is a number from 0 to {MOST}.")
    if membership.course_id != assignment.course_id:
        raise Refused(f"{membership.user} is not in the course of {assignment.title}.")
    points = points.quantize(CENT, ROUND_HALF_UP)
    with transaction.atomic():
        _one_at_a_time(membership)
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
        _one_at_a_time(membership)
        before = score_of(assignment, membership).points
        if not _undo(assignment, membership, by):
            raise Refused("There is no override to undo.")
        after = score_of(assignment, membership).points
        audit.record(
            *("override-undone", membership), actor=by, course=assignment.course, assignment=assignment.slug,
            before=str(before), after=None if after is None else str(after),
        )  # fmt: skip


def _one_at_a_time(membership: Membership) -> None:
    """Two who decide at once would both find nothing to undo."""
    Membership.objects.select_for_update().get(pk=membership.pk)


def _undo(assignment: Assignment, membership: Membership, by: User) -> bool:
    standing = Override.objects.filter(assignment=assignment, membership=membership, undone_at=None)
    return bool(standing.update(undone_at=timezone.now(), undone_by=by))
