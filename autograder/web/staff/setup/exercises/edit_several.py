"""Moves the dates of several exercises and changes their credit for late work, after showing what will change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right
from autograder.courses.setup.assignments import assignments_update
from autograder.courses.setup.dates import DATES, moved
from autograder.web import numbers, timestamps
from autograder.web.access import SignedIn, number_in
from autograder.web.forms import add_refusal, focus_first_error
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.setup.assignment_settings.form import PERCENT, in_percent, percent_of
from autograder.web.staff.setup.exercises.forms import MAX_DAYS


class EditForm(forms.Form):
    """An empty field changes nothing."""

    days = forms.IntegerField(
        min_value=-10 * MAX_DAYS,
        max_value=10 * MAX_DAYS,
        required=False,
        label="Move all dates by (days)",
        help_text="7 moves them to the next week, -7 to the week before.",
    )
    late_share = percent_of("late_share", required=False)
    late_per_day = percent_of("late_per_day", required=False)
    late_floor = percent_of("late_floor", required=False)

    def wanted(self, assignment: Assignment) -> dict[str, Any]:
        """What changes in this assignment, as the service expects it. Empty while the form has errors."""
        if not self.is_valid():
            return {}
        days, outside = self.cleaned_data["days"], assignment.graded_outside
        dates = {name: at for name, at in moved(assignment, days).items() if at is not None} if days else {}
        late = {name: self.cleaned_data[name] / 100 for name in PERCENT if self.cleaned_data[name] is not None}
        wanted = dates | ({} if outside else late)
        return {name: value for name, value in wanted.items() if value != getattr(assignment, name)}


@dataclass(frozen=True)
class ChangedValue:
    label: str
    before: str
    after: str


@dataclass(frozen=True)
class ChangedExercise:
    assignment: Assignment
    changes: tuple[ChangedValue, ...]


LABELS = dict(zip(DATES, ("Opens", "Due", "Closes", "No credit after"), strict=True)) | {
    name: label for name, (label, _) in PERCENT.items()
}


@staff_only(Right.SET_UP)
@require_http_methods(["GET", "HEAD", "POST"])
def edit_exercises(request: SignedIn, staff: Membership) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    assignments = _chosen(staff, sent or request.GET)
    if not assignments:
        messages.error(request, "Tick the exercises that you want to change.")
        return redirect("exercises", staff.course.slug)
    form = EditForm(sent)
    if sent is not None and form.is_valid():
        changes = {assignment: wanted for assignment in assignments if (wanted := form.wanted(assignment))}
        try:
            assignments_update(changes=changes, by=staff)
        except Refused as refused:
            add_refusal(form, refused)
            assignments = _chosen(staff, request.POST, as_seen=False)
        else:
            messages.success(
                request,
                f"{numbers.quantity(len(changes), 'exercise')} {'was' if len(changes) == 1 else 'were'} changed."
                if changes
                else "Nothing was changed.",
            )
            return redirect("exercises", staff.course.slug)
    focus_first_error(form)
    context = page_context(staff, "exercises") | {"form": form, "rows": list(_rows(form, assignments))}
    return render(request, "web/staff/setup/exercises/edit_exercises.html", context)


@staff_only(Right.SET_UP)
@require_POST
def changes_as_typed(request: SignedIn, staff: Membership) -> HttpResponse:
    """Show what the form changes. Nothing is saved; status 204 keeps the table while a value is incomplete."""
    form = EditForm(request.POST)
    if not form.is_valid():
        return HttpResponse(status=204)
    context = page_context(staff, "exercises") | {"rows": list(_rows(form, _chosen(staff, request.POST)))}
    return render(request, "web/staff/setup/exercises/changes.html", context)


def _chosen(staff: Membership, sent: QueryDict, *, as_seen: bool = True) -> list[Assignment]:
    """The ticked assignments; if `as_seen`, with the editions that the user saw."""
    slugs = [slug.replace("\0", "") for slug in sent.getlist("a")]
    found = Assignment.objects.filter(course=staff.course, removed_at=None, slug__in=slugs).defer("version__archive")
    assignments = list(found.select_related("course", "version").order_by("position", "id"))
    for assignment in assignments if as_seen else ():
        assignment.edition = number_in(sent.get(f"edition-{assignment.slug}", "")) or assignment.edition
    return assignments


def _rows(form: EditForm, assignments: Sequence[Assignment]) -> Iterator[ChangedExercise]:
    for assignment in assignments:
        wanted = form.wanted(assignment) if form.is_bound else {}
        yield ChangedExercise(
            assignment,
            tuple(
                ChangedValue(LABELS[name], _shown(name, getattr(assignment, name)), _shown(name, value))
                for name, value in wanted.items()
            ),
        )


def _shown(name: str, value: Any) -> str:
    return timestamps.date_and_time(value) if name in DATES else f"{in_percent(value)}%"
