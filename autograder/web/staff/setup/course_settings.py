"""The settings of a course: title and time zone, sections, unit rules, archiving; and the latest changes."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses import rights
from autograder.courses.errors import Refused
from autograder.courses.models import Course, Membership
from autograder.courses.rights import Right
from autograder.courses.setup.courses import course_archive, course_update, section_create
from autograder.gradebook.grades import unit_rules
from autograder.gradebook.grades.frozen import frozen_since
from autograder.web.access import SignedIn
from autograder.web.forms import add_refusal
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.history.audit_descriptions import trail_of
from autograder.web.staff.setup.course_forms import CourseForm, SectionForm
from autograder.web.staff.setup.unit_rules_form import RulesForm

Forms = dict[str, Any]


@staff_only(Right.SET_UP)
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: SignedIn, staff: Membership) -> HttpResponse:
    """One page with several forms. `act` names the submitted one; if it is invalid, it is shown again with its input."""
    forms = _forms(staff.course)
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", "course"))
        if act is None:
            raise Http404("no such thing to do")
        done = act(request, staff, forms)
        if done:
            messages.success(request, done)
            return redirect("settings", staff.course.slug)
    context = page_context(staff, "settings") | forms
    context |= {
        "sections": staff.course.sections.order_by("name"),
        "frozen": frozen_since(staff.course_id),
        "rules": unit_rules.rules_of(staff.course),
        "may_own": rights.has(staff, Right.OWN),
        "trail": trail_of(staff.course),
    }
    return render(request, "web/staff/setup/course_settings.html", context)


def initial_of(course: Course) -> dict[str, Any]:
    return {name: getattr(course, name) for name in ("title", "term", "time_zone", "supersedes", "late_days")}


def _forms(course: Course) -> Forms:
    return {
        "form": CourseForm(initial=initial_of(course), time_zone=course.time_zone),
        "section_form": SectionForm(),
        "rules_form": RulesForm(unit_rules.rules_of(course)),
    }


def _change(request: SignedIn, staff: Membership, forms: Forms) -> str:
    form = forms["form"] = CourseForm(request.POST, time_zone=staff.course.time_zone)
    if form.is_valid():
        course_update(course=staff.course, by=staff, **form.cleaned_data)
        return "The course settings were saved."
    return ""


def _section(request: SignedIn, staff: Membership, forms: Forms) -> str:
    form = forms["section_form"] = SectionForm(request.POST)
    if form.is_valid():
        try:
            made = section_create(course=staff.course, name=form.cleaned_data["name"], by=staff)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            return f"Section {made.name} was added."
    return ""


def _rules(request: SignedIn, staff: Membership, forms: Forms) -> str:
    """Save the unit rules. Rejected if the units of the course changed since the page was rendered."""
    rules = unit_rules.rules_of(staff.course)
    form = forms["rules_form"] = RulesForm(rules, request.POST)
    if request.POST.getlist("unit") != [rule.unit for rule in rules]:
        raise Refused(
            "The units of the course changed in the meantime. Nothing was saved. The form shows the current units."
        )
    if form.is_valid():
        try:
            unit_rules.unit_rules_set(course=staff.course, by=staff, rules=form.rules())
        except unit_rules.RuleRefused as refused:
            form.refuse(refused)
        else:
            return "The unit weights were saved."
    return ""


def _archive(request: SignedIn, staff: Membership, forms: Forms) -> str:
    rights.require(staff, Right.OWN, staff.course)
    archived = request.POST.get("archived") == "yes"
    course_archive(course=staff.course, by=staff, archived=archived)
    return "The course was archived. Everything in it is kept." if archived else "The course was restored."


ACTS: dict[str, Callable[[SignedIn, Membership, Forms], str]] = {
    "course": _change,
    "section": _section,
    "rules": _rules,
    "archive": _archive,
}
