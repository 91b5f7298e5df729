"""The queue of submissions that wait for manual points, and the redirect to the next one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.gradebook.decisions.marking_queue import marking_queue
from autograder.gradebook.grades.frozen import frozen_since
from autograder.submissions.looks import looks_of
from autograder.web.access import SignedIn, number_in, submission_for
from autograder.web.staff.access import page_context, staff_only


@staff_only(Right.MARK)
@require_safe
def marking(request: SignedIn, staff: Membership) -> HttpResponse:
    queue = marking_queue(staff)
    looks = looks_of([submission.submission_id for submission in queue.waiting])
    waiting = [(submission, looks.get(submission.submission_id, ())) for submission in queue.waiting]
    groups = [
        (assignment, listed)
        for assignment in queue.assignments
        if (listed := [(one, uses) for one, uses in waiting if one.assignment.pk == assignment.pk])
    ]
    context = page_context(staff, "gradebook") | {
        "queue": queue,
        "groups": groups,
        "frozen": frozen_since(staff.course_id),
    }
    return render(request, "web/staff/grading/marking.html", context)


@staff_only(Right.MARK)
@require_safe
def mark_next(request: SignedIn, staff: Membership) -> HttpResponse:
    """Redirect to the next submission to mark. `?after=12` starts after submission 12."""
    queue, named = marking_queue(staff), number_in(request.GET.get("after", ""))
    if named is None:
        found = queue.waiting[0] if queue.waiting else None
    else:
        found = queue.after(submission_for(request.user, named).submission)
    if found is None:
        messages.success(request, "No other submissions are waiting to be marked.")
        return redirect("marking", staff.course.slug)
    return redirect(f"{reverse('submission', args=(staff.course.slug, found.submission_id))}#marks")
