"""Freezes and unfreezes the gradebook."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.gradebook.decisions.marking_queue import marking_queue
from autograder.gradebook.grades import freezing
from autograder.gradebook.grades.frozen import frozen_in
from autograder.submissions.models import Batch
from autograder.web.access import SignedIn
from autograder.web.staff.access import page_context, staff_only


@staff_only(Right.FREEZE)
@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: SignedIn, staff: Membership) -> HttpResponse:
    course = staff.course
    if request.method == "POST":
        if request.POST.get("do") == "freeze":
            freezing.freeze(course=course, by=staff)
            messages.success(request, "The gradebook is frozen. These points will not change.")
        elif request.POST.get("do") == "unfreeze":
            freezing.unfreeze(course=course, by=staff)
            messages.success(
                request, "The gradebook was unfrozen. Points were recalculated from everything that has been graded."
            )
        return redirect("gradebook", course.slug)
    about = {
        "frozen": frozen_in(course.pk),
        "students": rights.students_of(staff).count(),
        "assignments": course.assignments.filter(removed_at=None).count(),
        "to_mark": len(marking_queue(staff).waiting),
        "previews": Batch.objects.filter(course=course, state=Batch.State.PREVIEW).count(),
    }
    return render(request, "web/staff/grading/freeze.html", page_context(staff, "gradebook") | about)
