"""Regrade requests for staff: the list of a course, and the form for an answer on a submission's page."""

from decimal import Decimal
from typing import Any, cast

from django import forms
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.courses import rights
from autograder.courses.errors import AtField, Conflict, Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.gradebook.grades.scores import MAX_POINTS
from autograder.gradebook.models import Override, RegradeRequest
from autograder.gradebook.regrades.regrade_requests import EFFECTS, MAX_TEXT, request_answer, requests_for
from autograder.submissions.models import Submission
from autograder.web.access import SignedIn
from autograder.web.staff.access import page_context, staff_only

A_PAGE = 50
NO_CHECK = "*"  # query value: requests that name no check
State = RegradeRequest.State
EFFECT_WORDS = {
    State.DECLINED: "Keep the result",
    State.REGRADE: "Grade again: starts a preview, which does not change any grades yet",
    State.POINTS: "Set the points by hand",
}


class FilterForm(forms.Form):
    """Filters of the list. All fields are optional."""

    exercise = forms.ChoiceField(required=False, label="Exercise")
    state = forms.ChoiceField(required=False, label="State", choices=[("", "all, open ones first"), *State.choices])
    check = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)

    def __init__(self, staff: Membership, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        exercises = staff.course.assignments.filter(removed_at=None).exclude(version=None).values_list("slug", "title")
        cast("forms.ChoiceField", self.fields["exercise"]).choices = [("", "all"), *exercises]


class AnswerForm(forms.Form):
    """Points can only be set by staff with that right. `seen` is the id of the override when the page was rendered."""

    effect = forms.ChoiceField(label="Decision", widget=forms.RadioSelect)
    points = forms.DecimalField(
        required=False,
        min_value=Decimal(0),
        max_value=MAX_POINTS,
        decimal_places=2,
        label="Points (only when you set them by hand)",
    )
    text = forms.CharField(
        max_length=MAX_TEXT,
        label="Answer",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="The student sees it next to the result.",
    )
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, staff: Membership, submission: Submission, data: QueryDict | None = None) -> None:
        current = Override.objects.filter(
            assignment=submission.assignment_id, membership=submission.membership_id, undone_at=None
        )
        found = current.values_list("pk", flat=True).first()
        super().__init__(data, auto_id="id_answer_%s", initial={"seen": found or 0, "effect": State.DECLINED})
        may_set = rights.has(staff, Right.OVERRIDE, submission.membership)
        if not may_set:
            del self.fields["points"], self.fields["seen"]
        choices = [(str(state), EFFECT_WORDS[state]) for state in EFFECTS if may_set or state is not State.POINTS]
        cast("forms.ChoiceField", self.fields["effect"]).choices = choices


@staff_only(Right.GRADE_AGAIN)
@require_safe
def regrade_requests(request: SignedIn, staff: Membership) -> HttpResponse:
    form = FilterForm(staff, request.GET)
    every = requests_for(staff)
    found = _filtered(every, form.cleaned_data if form.is_valid() else {})
    found = found.select_related("submission__membership__user", "submission__assignment", "batch").defer(
        "submission__source"
    )
    context = page_context(staff, "overview") | {
        "form": form,
        "open": every.filter(state=State.OPEN).count(),
        "page": Paginator(found, A_PAGE).get_page(request.GET.get("page")),
        "filtered": any(request.GET.get(name) for name in form.fields),
    }
    return render(request, "web/staff/grading/regrade_requests.html", context)


def _filtered(requests: QuerySet[RegradeRequest], filters: dict[str, Any]) -> QuerySet[RegradeRequest]:
    if filters.get("exercise"):
        requests = requests.filter(submission__assignment__slug=filters["exercise"])
    if filters.get("state"):
        requests = requests.filter(state=filters["state"])
    if filters.get("check"):
        requests = requests.filter(check_id="" if filters["check"] == NO_CHECK else filters["check"])
    return requests


def answer(staff: Membership, request: RegradeRequest, form: AnswerForm) -> RegradeRequest | None:
    """Store the answer. Returns None if it was rejected; the form has the error."""
    if not form.is_valid():
        return None
    try:
        return request_answer(request=request, by=staff, **form.cleaned_data)
    except Conflict as refused:
        data = cast("QueryDict", form.data).copy()
        # submitting again overwrites the override that is shown now
        data["seen"] = str(refused.stands.pk if refused.stands else 0)
        form.data = data
        form.add_error(None, refused.message)
    except AtField as refused:
        form.add_error(refused.field if refused.field in form.fields else None, refused.message)
    except Refused as refused:
        form.add_error(None, refused.message)
    return None
