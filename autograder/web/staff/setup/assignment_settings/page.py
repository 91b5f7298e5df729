"""The settings page of an assignment. If two people save it at the same time, the second one is shown both values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from autograder.courses.errors import Conflict, Refused
from autograder.courses.models import Assignment, AuditEntry, Membership
from autograder.courses.rights import Right
from autograder.courses.selectors import version_of_exercise
from autograder.courses.setup.assignments import assignment_update
from autograder.gradebook.grades.manual_points import criteria_of
from autograder.library.pages import files_of
from autograder.web import numbers, timestamps
from autograder.web.access import SignedIn, any_assignment_in
from autograder.web.forms import add_refusal, focus_first_error
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.forms import DATETIME_FORMAT
from autograder.web.staff.setup.assignment_settings.criteria_form import CriteriaForm
from autograder.web.staff.setup.assignment_settings.form import PERCENT, AssignmentForm, in_percent
from autograder.web.staff.setup.assignment_settings.late_chart import late_chart
from autograder.web.staff.setup.exercises.page import has_newer, latest_of

ABOUT_THE_FORM = ("edition", "newest")
LATE = ("late_share", "late_per_day", "late_floor", "late_grace", "no_credit_after", "late_days_limit")
GROUPS = (
    ("General", ("title", "unit", "position", "points")),
    ("Dates", ("opens_at", "due_at", "closes_at")),
    ("Grading", ("policy", "attempt_limit", "cool_down")),
    ("Late work", LATE),
    ("Hidden checks", ("show_hidden", "hidden_meanwhile", "explain_hidden")),
    ("Solutions", ("show_solutions", "carried_files")),
)


@dataclass(frozen=True)
class ConflictingValue:
    """The stored value and the conflicting submitted one."""

    label: str
    stands: str
    yours: str


@staff_only(Right.SET_UP)
@require_http_methods(["GET", "HEAD", "POST"])
def assignment_settings(request: SignedIn, staff: Membership, assignment: str) -> HttpResponse:
    found = any_assignment_in(staff, assignment)
    outside, carries = found.graded_outside, _carries(found)
    form, differences, words = AssignmentForm(initial=initial_of(found), outside=outside, carries=carries), [], ""
    if request.method == "POST":
        form = AssignmentForm(request.POST, initial=initial_of(found), outside=outside, carries=carries)
        if form.is_valid():
            try:
                changed = assignment_update(
                    assignment=found,
                    by=staff,
                    edition=form.cleaned_data["edition"],
                    **_wanted(form, found),
                )
            except Conflict as conflict:
                found, words = any_assignment_in(staff, assignment), conflict.message
                form = _on_top_of(found, form)
                differences = _differences(form)
            except Refused as refused:
                add_refusal(form, refused)
            else:
                messages.success(request, f"The settings of {changed.title} were saved.")
                return redirect("assignment-settings", staff.course.slug, changed.slug)
    status = 409 if words else 200
    return show(request, staff, found, form=form, differences=differences, conflict=words, status=status)


@staff_only(Right.SET_UP)
@require_POST
def late_chart_as_typed(request: SignedIn, staff: Membership, assignment: str) -> HttpResponse:
    """Draw the chart of what is in the form. Nothing is saved; status 204 keeps the chart while a value is incomplete."""
    found = any_assignment_in(staff, assignment)
    form = AssignmentForm(request.POST, initial=initial_of(found), outside=found.graded_outside, carries=_carries(found))
    if any(name in form.errors for name in ("due_at", *LATE)):
        return HttpResponse(status=204)
    for name, value in form.terms().items():
        if name in ("due_at", *LATE):
            setattr(found, name, value)
    context = {"course": staff.course, "assignment": found, "chart": late_chart(found), "typed": True}
    return render(request, "web/staff/setup/assignment_settings/late_chart.html", context)


def show(
    request: SignedIn,
    staff: Membership,
    found: Assignment,
    *,
    form: AssignmentForm | None = None,
    differences: Sequence[ConflictingValue] = (),
    conflict: str = "",
    criteria: forms.Form | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page. Forms that were submitted are shown with their input."""
    form = form or AssignmentForm(initial=initial_of(found), carries=_carries(found))
    focus_first_error(form)
    context = page_context(staff, "exercises") | {
        "assignment": found,
        "form": form,
        "groups": _groups(form),
        "newer": has_newer(found, latest_of([found])),
        "chart": late_chart(found),
        "differences": differences,
        "conflict": conflict,
        "last": _last_change(found) if conflict else None,
        "criteria": criteria or CriteriaForm(found, criteria_of(found)),
    }
    return render(request, "web/staff/setup/assignment_settings/assignment_settings.html", context, status=status)


def _carries(found: Assignment) -> bool:
    """Whether the exercise takes files over from earlier ones."""
    files = None if found.graded_outside else files_of(found.exercise_version.pk)
    return files is not None and bool(files.carried)


def _groups(form: AssignmentForm) -> list[tuple[str, list[forms.BoundField]]]:
    groups = [(title, [form[name] for name in names if name in form.fields]) for title, names in GROUPS]
    return [group for group in groups if group[1]]


def initial_of(assignment: Assignment) -> dict[str, Any]:
    """Initial form values: times to the minute, shares in percent."""
    same = (
        "title",
        "unit",
        "position",
        "points",
        "policy",
        "attempt_limit",
        "late_days_limit",
        "edition",
        "show_hidden",
        "hidden_meanwhile",
        "explain_hidden",
        "show_solutions",
        "carried_files",
    )
    return (
        {name: getattr(assignment, name) for name in same}
        | {
            "opens_at": _to_the_minute(assignment.opens_at),
            "due_at": _to_the_minute(assignment.due_at),
            "closes_at": _to_the_minute(assignment.closes_at),
            "no_credit_after": _to_the_minute(assignment.no_credit_after),
            "cool_down": _minutes(assignment.cool_down),
            "late_grace": _minutes(assignment.late_grace),
        }
        | {name: in_percent(getattr(assignment, name)) for name in PERCENT}
    )


def _minutes(duration: timedelta) -> int:
    return int(duration.total_seconds() // 60)


def _wanted(form: AssignmentForm, assignment: Assignment) -> dict[str, Any]:
    """Return only the fields that were changed: the form shows minutes, so saving all fields would drop the seconds."""
    terms = form.terms()
    wanted = {name: terms[name] for name in _changed(form)}
    if form.cleaned_data.get("newest"):
        wanted["version"] = version_of_exercise(assignment.exercise_version.exercise.slug)
    return wanted


def _changed(form: AssignmentForm) -> list[str]:
    return [name for name in form.changed_data if name not in ABOUT_THE_FORM]


def _on_top_of(assignment: Assignment, sent: AssignmentForm) -> AssignmentForm:
    """Rebuild the form after a conflict: the user's changes on top of the stored values. Submitting it again overwrites
    them.
    """
    outside = assignment.graded_outside
    stands = AssignmentForm(initial=initial_of(assignment), outside=outside)
    texts = {name: _text(stands[name].value()) for name in stands.fields if name != "newest"}
    data = texts | {f"initial-{name}": text for name, text in texts.items()}
    for name in (*_changed(sent), "newest"):
        if name in sent.data:
            data[name] = sent.data[name]
        else:
            data.pop(name, None)  # unchecked checkboxes are not submitted
    form = AssignmentForm(data, initial=initial_of(assignment), outside=outside)
    form.is_valid()
    return form


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.strftime(DATETIME_FORMAT)
    return "" if value is None else str(value)


def _differences(form: AssignmentForm) -> list[ConflictingValue]:
    return [
        ConflictingValue(
            str(form.fields[name].label),
            _said(form.fields[name], form.initial[name]),
            _said(form.fields[name], form.cleaned_data.get(name)),
        )
        for name in _changed(form)
    ]


def _said(field: forms.Field, value: Any) -> str:
    if value in (None, ""):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return timestamps.date_and_time(value)
    if isinstance(field, forms.ChoiceField):
        return str(dict(field.choices).get(value, value))  # type: ignore[arg-type]
    if isinstance(field, forms.DecimalField):
        return numbers.points(value)
    return str(value)


def _last_change(assignment: Assignment) -> AuditEntry | None:
    """The latest change of the assignment, which caused the conflict."""
    mine = AuditEntry.objects.filter(assignment=assignment, action__startswith="assignment-")
    return mine.select_related("actor").first()


def _to_the_minute(at: datetime | None) -> datetime | None:
    return None if at is None else at.replace(second=0, microsecond=0)
