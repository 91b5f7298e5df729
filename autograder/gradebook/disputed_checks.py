"""Checks that many students say are wrong: perhaps the check is wrong, and not the students."""

from dataclasses import dataclass

from django.db.models import Count, F, Max

from autograder.courses import rights
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right, students_of
from autograder.gradebook.models import RegradeRequest
from autograder.submissions.models import Batch

STUDENTS_OF_A_CHECK = 3  # so many different students name the same check
STUDENTS_OF_AN_ASSIGNMENT = 5  # or so many name no check at all
State = RegradeRequest.State


@dataclass(frozen=True)
class Dispute:
    """`check_id` and `title` are empty for requests that name no check."""

    assignment: Assignment
    check_id: str
    title: str
    students: int


def disputes_of(staff: Membership, assignment: Assignment | None = None) -> list[Dispute]:
    """Those of most students first, for those who may regrade.

    Only requests about the version that the assignment has now are counted, so a corrected exercise is no longer disputed.
    Requests count while they are open, and when the answer had an effect.
    """
    if not rights.has(staff, Right.REGRADE):
        return []
    assignments = {one.pk: one for one in staff.course.assignments.filter(removed_at=None)}
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
    many = [one for one in found if one.students >= (STUDENTS_OF_A_CHECK if one.check_id else STUDENTS_OF_AN_ASSIGNMENT)]
    return sorted(many, key=lambda one: (-one.students, one.assignment.position, one.assignment.pk, one.check_id))
