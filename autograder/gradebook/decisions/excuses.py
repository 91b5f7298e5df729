"""Excuses a student from an assignment, which removes it from their total, and withdraws excuses."""

from django.db import transaction
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right
from autograder.gradebook.grades.frozen import refuse_if_frozen
from autograder.gradebook.models import Excuse, Override

MAX_REASON = 500


def excuse(*, assignment: Assignment, membership: Membership, reason: str, by: Membership) -> Excuse:
    """Excuse a student. Submissions are kept and count again if the excuse is withdrawn."""
    rights.require(by, Right.OVERRIDE, membership)
    if not reason.strip():
        raise Refused("Give a reason. It is shown to the student.")
    if len(reason) > MAX_REASON:
        raise Refused(f"The reason has {len(reason)} characters; the limit is {MAX_REASON}.")
    if membership.course_id != assignment.course_id:
        raise Refused(f"{assignment.title} belongs to a different course than {membership.user}.")
    with transaction.atomic():
        refuse_if_frozen(assignment.course, "Nobody can be excused now")
        Membership.objects.select_for_update().get(pk=membership.pk)
        if Override.objects.filter(assignment=assignment, membership=membership, undone_at=None).exists():
            raise Refused(f"The points for {assignment.title} were set by hand. Undo that first, then excuse the student.")
        if _standing(assignment, membership) is not None:
            raise Refused(f"The student is already excused from {assignment.title}.")
        made = Excuse.objects.create(assignment=assignment, membership=membership, reason=reason.strip(), author=by.user)
        audit.record(
            "excused",
            membership,
            actor=by.user,
            course=assignment.course,
            assignment=assignment,
            reason=reason.strip(),
        )
    return made


def withdraw_excuse(*, assignment: Assignment, membership: Membership, by: Membership) -> None:
    rights.require(by, Right.OVERRIDE, membership)
    with transaction.atomic():
        refuse_if_frozen(assignment.course, "No excuse can be withdrawn now")
        Membership.objects.select_for_update().get(pk=membership.pk)
        standing = _standing(assignment, membership)
        if standing is None:
            raise Refused(f"The student is not excused from {assignment.title}.")
        Excuse.objects.filter(pk=standing.pk).update(withdrawn_at=timezone.now(), withdrawn_by=by.user)
        audit.record("excuse-withdrawn", membership, actor=by.user, course=assignment.course, assignment=assignment)


def _standing(assignment: Assignment, membership: Membership) -> Excuse | None:
    return Excuse.objects.filter(assignment=assignment, membership=membership, withdrawn_at=None).first()
