"""Saves the criteria for manual points, a form on the settings page of an assignment."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import Conflict, Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.rights import Right
from autograder.gradebook.decisions.criteria import MarksWouldGo, criteria_set
from autograder.gradebook.grades.manual_points import criteria_of
from autograder.web import numbers
from autograder.web.access import SignedIn, assignment_in
from autograder.web.staff.access import staff_only
from autograder.web.staff.setup.assignment_settings.criteria_form import CriteriaForm
from autograder.web.staff.setup.assignment_settings.page import show


@staff_only(Right.SET_UP)
@require_http_methods(["GET", "HEAD", "POST"])
def criteria(request: SignedIn, staff: Membership, assignment: str) -> HttpResponse:
    found = assignment_in(staff, assignment)
    here = f"{reverse('assignment-settings', args=(staff.course.slug, found.slug))}#criteria"
    if request.method != "POST":
        return redirect(here)
    form = CriteriaForm(found, criteria_of(found), request.POST)
    if form.is_valid():
        try:
            criteria_set(
                assignment=found,
                by=staff,
                criteria=form.wanted(),
                edition=form.cleaned_data["edition"],
                withdraw="withdraw" in request.POST,
            )
        except MarksWouldGo as refused:
            form.would_go = refused.message
        except Conflict as conflict:
            found = assignment_in(staff, assignment)
            form = _on_top_of(found, form, conflict.message)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, f"The criteria of {found.title} were saved.")
            return redirect(here)
    return show(request, staff, found, criteria=form, status=409)


def _on_top_of(found: Assignment, sent: CriteriaForm, words: str) -> CriteriaForm:
    """Rebuild the form after a conflict with the user's input and a message with the stored criteria. Submitting it again
    overwrites them.
    """
    criteria = criteria_of(found)
    stored = ", ".join(f"{criterion.title} ({numbers.points(criterion.points)})" for criterion in criteria)
    current = f"The current criteria are: {stored}." if stored else "There are no criteria now."
    form = CriteriaForm(found, criteria, {**sent.data.dict(), "edition": str(found.edition)})  # type: ignore[attr-defined]
    form.add_error(None, f"{words} {current}")
    return form
