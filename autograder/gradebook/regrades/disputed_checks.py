"""Finds checks that many students dispute, which may indicate that the check is wrong."""

from dataclasses import dataclass

from django.db.models import Count, F, Max

from autograder.courses import rights
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right, students_of
from autograder.gradebook.models import RegradeRequest
from autograder.submissions.models import Batch

STUDENTS_OF_A_CHECK = 3  # different students who name the same check
STUDENTS_OF_AN_ASSIGNMENT = 5  # different students who name no check
State = RegradeRequest.State


@dataclass(frozen=True)
class Dispute:
    """A disputed check. `check_id` and `title` are empty for requests that name no check."""

    assignment: Assignment
    check_id: str
    title: str
    students: int


def disputes_of(staff: Membership, assignment: Assignment | None = None) -> list[Dispute]:
    """Return the disputes, those of most students first, if `staff` may regrade.

    Only requests about the assignment's current version count, so a corrected exercise is no longer disputed. Requests count
    while they are open, and if their answer had an effect.
    """
    if not rights.has(staff, Right.REGRADE):
        return []
    assignments = {assignment.pk: assignment for assignment in staff.course.assignments.filter(removed_at=None)}
    if assignment is not None:
        assignments = {assignment.pk: assignment}
    requests = (
        RegradeRequest.objects.filter(state__in=(State.OPEN, State.REGRADE, State.POINTS))
        .filter(submission__assignment__in=assignments, submission__membership__in=students_of(staff))
        .filter(grading__version=F("submission__assignment__version"))
        .exclude(batch__state__in=(Batch.State.DISCARDED, Batch.State.UNDONE))
        .exclude(override__undone_at__isnull=False)
    )
    grouped = requests.order_by().values_list("submission__assignment_id", "check_id")
    counted = grouped.annotate(students=Count("submission__membership", distinct=True), title=Max("check_title"))
    found = [Dispute(assignments[pk], check, title, students) for pk, check, students, title in counted]
    disputed = [
        dispute
        for dispute in found
        if dispute.students >= (STUDENTS_OF_A_CHECK if dispute.check_id else STUDENTS_OF_AN_ASSIGNMENT)
    ]
    return sorted(
        disputed,
        key=lambda dispute: (-dispute.students, dispute.assignment.position, dispute.assignment.pk, dispute.check_id),
    )
