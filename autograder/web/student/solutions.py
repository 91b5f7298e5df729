"""The reference and alternative solutions of an exercise, for students who solved it, if the assignment allows it."""

from datetime import datetime

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from autograder.courses.models import Assignment, Membership, ShowSolutions
from autograder.courses.people.check_visibility import CheckVisibility, check_visibility_of
from autograder.courses.people.extensions import last_due_of, terms_of
from autograder.courses.selectors import is_staff_of
from autograder.library.versions import solutions_of
from autograder.submissions.models import COUNTING, Grading, Kind
from autograder.web.access import SignedIn, members_only, opened_in


def may_see_solutions(membership: Membership, assignment: Assignment, now: datetime) -> bool:
    """Students need a counting submission that passes all checks, and results that they may know. For staff it is enough
    that the assignment does not hide solutions forever.
    """
    allowed = ShowSolutions(assignment.show_solutions)
    if allowed is ShowSolutions.NEVER:
        return False
    if is_staff_of(membership):
        return True
    if allowed is ShowSolutions.AFTER_DUE and not _all_are_due(assignment, now):
        return False
    sight = check_visibility_of(assignment, terms_of(assignment, membership), staff=False, now=now)
    return sight is not CheckVisibility.NOTHING and _passed(membership, assignment)


def _all_are_due(assignment: Assignment, now: datetime) -> bool:
    """False if there is no due date."""
    last = last_due_of(assignment)
    return last is not None and now > last


def _passed(membership: Membership, assignment: Assignment) -> bool:
    counting = Grading.objects.filter(COUNTING, submission__kind=Kind.SUBMIT, verdict="passed")
    return counting.filter(submission__membership=membership, submission__assignment=assignment).exists()


@never_cache
@members_only
@require_safe
def solutions(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    wanted = opened_in(membership, assignment)
    if not may_see_solutions(membership, wanted, timezone.now()):
        raise Http404("no solutions are shown, or not to this student yet")
    context = {
        "membership": membership,
        "course": membership.course,
        "assignment": wanted,
        "here": "course",
        "solutions": solutions_of(wanted.exercise_version),
    }
    return render(request, "web/student/solutions.html", context)
