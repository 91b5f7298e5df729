"""Creating and withdrawing a regrade request, for a whole verdict or one of its checks."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import AtField, Refused
from autograder.gradebook.regrade_requests import (
    MAX_TEXT,
    named_checks,
    open_request_of,
    refuse_request,
    request_add,
    request_withdraw,
)
from autograder.submissions.selectors import grading_of
from autograder.web.access import Mine, SignedIn, submission_for
from autograder.web.results.status import number_of
from autograder.web.timestamps import zone_of


class RequestForm(forms.Form):
    check = forms.ChoiceField(required=False, label="Check", widget=forms.Select(attrs={"class": "pick"}))
    text = forms.CharField(
        max_length=MAX_TEXT,
        label="What is wrong with the result?",
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Explain what your code does and why it is correct. Your instructors see this next to your code.",
    )

    def __init__(self, checks: list[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast("forms.ChoiceField", self.fields["check"])
        field.choices = [("", "the result as a whole"), *checks]
        field.error_messages["invalid_choice"] = "Choose one of the checks of this submission."


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def regrade_request(request: SignedIn, number: int) -> HttpResponse:
    mine = submission_for(request.user, number)
    if mine.submission.membership_id != mine.viewer.pk or mine.staff:
        raise Http404("somebody else's submission")
    with timezone.override(zone_of(request.user, mine.viewer.course)):
        if request.POST.get("act") == "withdraw":
            return _withdraw(request, mine)
        return _ask(request, mine)


def _ask(request: SignedIn, mine: Mine) -> HttpResponse:
    grading = grading_of(mine.submission)
    checks = named_checks(mine.submission, grading, timezone.now()) if grading else []
    form = RequestForm(checks, request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            status = 409
            try:
                request_add(submission=mine.submission, by=mine.viewer, **form.cleaned_data)
            except AtField as refused:
                form.add_error(refused.field, refused.message)
            except Refused as refused:
                form.add_error(None, refused.message)
            else:
                messages.success(request, "Your request was sent. The answer will appear here.")
                return redirect(_result(mine))
    context = {
        "course": mine.viewer.course,
        "membership": mine.viewer,
        "assignment": mine.submission.assignment,
        "submission": mine.submission,
        "number": number_of(mine.submission),
        "here": "course",
        "back": _result(mine),
        "form": form,
        "refused": _refused(mine) if grading else "This submission has no result yet. Wait until it has been graded.",
        "open": open_request_of(mine.submission),
    }
    return render(request, "web/student/regrade_request.html", context, status=status)


def _refused(mine: Mine) -> str:
    try:
        refuse_request(mine.submission)
    except Refused as refused:
        return refused.message
    return ""


def _withdraw(request: SignedIn, mine: Mine) -> HttpResponse:
    found = open_request_of(mine.submission)
    try:
        if found is None:
            raise Refused("This request is no longer open, so it cannot be withdrawn.")
        request_withdraw(request=found, by=mine.viewer)
        messages.success(request, "Your request was withdrawn.")
    except Refused as refused:
        messages.error(request, refused.message)
    return redirect(_result(mine))


def _result(mine: Mine) -> str:
    assignment = mine.submission.assignment
    return f"{reverse('exercise', args=(mine.viewer.course.slug, assignment.slug))}?s={mine.submission.pk}#requests"
