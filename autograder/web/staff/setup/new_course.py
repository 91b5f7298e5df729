"""Creates a course, either empty or as a copy of an existing one with its dates moved."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.courses.setup.courses import course_create
from autograder.gradebook.grades import unit_rules
from autograder.web.access import SignedIn
from autograder.web.forms import add_refusal
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.setup.course_forms import CopyForm, NewCourseForm
from autograder.web.timestamps import own_zone

YEAR = 364  # in days; a multiple of 7, so that weekdays are kept


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_course(request: SignedIn) -> HttpResponse:
    if not rights.may_make_courses(request.user):
        raise Http404("only for teaching staff")
    form = NewCourseForm(request.POST or None, initial={"time_zone": own_zone(request, request.user) or "UTC"})
    if request.method == "POST" and form.is_valid():
        try:
            made = course_create(by=request.user, owner=request.user, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(request, f"{made.title} was created, and you are its owner.")
            return redirect("overview", made.slug)
    return render(request, "web/staff/setup/new_course.html", {"form": form})


@staff_only(Right.SET_UP)
@require_http_methods(["GET", "HEAD", "POST"])
def copy_course(request: SignedIn, staff: Membership) -> HttpResponse:
    course = staff.course
    initial: dict[str, Any] = {"title": course.title, "days": YEAR, "newest": True}
    form = CopyForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            made = unit_rules.course_copy(course=course, by=staff, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(request, f"{made.title} was created, and you are its owner. Check the dates of its exercises.")
            return redirect("exercises", made.slug)
    return render(request, "web/staff/setup/copy_course.html", page_context(staff, "settings") | {"form": form})
