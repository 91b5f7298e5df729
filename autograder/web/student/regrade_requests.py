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

from autograder.courses.errors import Refused
from autograder.gradebook.regrades.regrade_requests import (
    MAX_TEXT,
    named_checks,
    open_request_of,
    refuse_request,
    request_add,
    request_withdraw,
)
from autograder.submissions.handing_in.numbering import number_of
from autograder.submissions.selectors import grading_of
from autograder.web.access import SignedIn, ViewedSubmission, submission_for
from autograder.web.forms import add_refusal
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
    viewed = submission_for(request.user, number)
    if viewed.submission.membership_id != viewed.viewer.pk or viewed.staff:
        raise Http404("somebody else's submission")
    with timezone.override(zone_of(request, request.user, viewed.viewer.course)):
        if request.POST.get("act") == "withdraw":
            return _withdraw(request, viewed)
        return _ask(request, viewed)


def _ask(request: SignedIn, viewed: ViewedSubmission) -> HttpResponse:
    grading = grading_of(viewed.submission)
    checks = named_checks(viewed.submission, grading, timezone.now()) if grading else []
    form = RequestForm(checks, request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            status = 409
            try:
                request_add(submission=viewed.submission, by=viewed.viewer, **form.cleaned_data)
            except Refused as refused:
                add_refusal(form, refused)
            else:
                messages.success(request, "Your request was sent. The answer will appear here.")
                return redirect(_result(viewed))
    context = {
        "course": viewed.viewer.course,
        "membership": viewed.viewer,
        "assignment": viewed.submission.assignment,
        "submission": viewed.submission,
        "number": number_of(viewed.submission),
        "here": "course",
        "back": _result(viewed),
        "form": form,
        "refused": _refused(viewed) if grading else "This submission has no result yet. Wait until it has been graded.",
        "open": open_request_of(viewed.submission),
    }
    return render(request, "web/student/regrade_request.html", context, status=status)


def _refused(viewed: ViewedSubmission) -> str:
    try:
        refuse_request(viewed.submission)
    except Refused as refused:
        return refused.message
    return ""


def _withdraw(request: SignedIn, viewed: ViewedSubmission) -> HttpResponse:
    found = open_request_of(viewed.submission)
    try:
        if found is None:
            raise Refused("This request is no longer open, so it cannot be withdrawn.")
        request_withdraw(request=found, by=viewed.viewer)
        messages.success(request, "Your request was withdrawn.")
    except Refused as refused:
        messages.error(request, refused.message)
    return redirect(_result(viewed))


def _result(viewed: ViewedSubmission) -> str:
    assignment = viewed.submission.assignment
    return f"{reverse('exercise', args=(viewed.viewer.course.slug, assignment.slug))}?s={viewed.submission.pk}#requests"
