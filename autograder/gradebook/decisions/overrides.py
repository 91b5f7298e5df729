"""Sets a student's score in an assignment by hand, which replaces the computed one, and undoes that."""

from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import Conflict, Refused
from autograder.courses.models import Assignment, Membership, User
from autograder.courses.rights import Right
from autograder.gradebook.grades.frozen import refuse_if_frozen
from autograder.gradebook.grades.scores import MAX_POINTS, rounded, score_of
from autograder.gradebook.models import Excuse, Override

MAX_REASON = 500


def override(
    *,
    assignment: Assignment,
    membership: Membership,
    points: Decimal,
    reason: str,
    by: Membership,
    seen: int | None = None,
) -> Override:
    """Override a score, replacing an earlier override.

    `seen` is the override that `by` saw, 0 for none: if it has changed since, `Conflict` is raised.
    """
    rights.require(by, Right.OVERRIDE, membership)
    if not reason.strip():
        raise Refused("Give a reason for the score. It is shown to the student.")
    if len(reason) > MAX_REASON:
        raise Refused(f"The reason has {len(reason)} characters; the limit is {MAX_REASON}.")
    if not points.is_finite() or not 0 <= points <= MAX_POINTS:
        raise Refused(f"A score must be between 0 and {MAX_POINTS}.")
    if membership.course_id != assignment.course_id:
        raise Refused(f"{assignment.title} belongs to a different course than {membership.user}.")
    points = rounded(points)
    with transaction.atomic():
        refuse_if_frozen(assignment.course, "No score can be set now")
        Membership.objects.select_for_update().get(pk=membership.pk)  # concurrent decisions would both find nothing to undo
        if Excuse.objects.filter(assignment=assignment, membership=membership, withdrawn_at=None).exists():
            raise Refused(f"The student is excused from {assignment.title}. Withdraw the excuse first, then set points.")
        _refuse_unseen(assignment, membership, seen)
        before = score_of(assignment, membership).points
        _undo(assignment, membership, by.user)
        made = Override.objects.create(
            assignment=assignment, membership=membership, points=points, reason=reason, author=by.user
        )
        audit.record(
            "override",
            membership,
            actor=by.user,
            course=assignment.course,
            assignment=assignment,
            reason=reason,
            before=None if before is None else str(before),
            after=str(points),
        )
    return made


def undo_override(*, assignment: Assignment, membership: Membership, by: Membership, seen: int | None = None) -> None:
    rights.require(by, Right.OVERRIDE, membership)
    with transaction.atomic():
        refuse_if_frozen(assignment.course, "A score set by hand cannot be undone now")
        Membership.objects.select_for_update().get(pk=membership.pk)  # concurrent decisions would both find nothing to undo
        _refuse_unseen(assignment, membership, seen)
        before = score_of(assignment, membership).points
        if not _undo(assignment, membership, by.user):
            raise Refused("There is no score set by hand to undo.")
        after = score_of(assignment, membership).points
        audit.record(
            "override-undone",
            membership,
            actor=by.user,
            course=assignment.course,
            assignment=assignment,
            before=str(before),
            after=None if after is None else str(after),
        )


def _refuse_unseen(assignment: Assignment, membership: Membership, seen: int | None) -> None:
    if seen is None:
        return
    found = _standing(assignment, membership).select_related("author").first()
    if (found.pk if found else 0) == seen:
        return
    if found is None:
        message = "The score set by hand was undone in the meantime."
    else:
        who = found.author.display_name
        message = f"{who} set {found.points} points in the meantime: {found.reason}"
    raise Conflict(f"{message} Nothing was saved. Check the score again.", found)


def _undo(assignment: Assignment, membership: Membership, by: User) -> bool:
    return bool(_standing(assignment, membership).update(undone_at=timezone.now(), undone_by=by))


def _standing(assignment: Assignment, membership: Membership) -> QuerySet[Override]:
    return Override.objects.filter(assignment=assignment, membership=membership, undone_at=None)
