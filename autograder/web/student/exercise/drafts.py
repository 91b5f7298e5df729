"""The draft in the editor: loading, saving, restoring and downloading it."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from autograder.courses.errors import Refused, TooOften
from autograder.courses.models import Assignment, Membership
from autograder.library.pages import page_of
from autograder.submissions.drafts import draft_of, draft_put_back, draft_replace, draft_save
from autograder.submissions.models import Draft
from autograder.web import rate_limits, timestamps
from autograder.web.access import (
    SignedIn,
    members_only,
    number_in,
    opened_in,
    submission_for,
)
from autograder.web.error_pages import too_many_requests
from autograder.web.results.shown_file import text_of
from autograder.web.student.exercise.submitting import normal_line_ends

NEWEST = 999_999_999  # upper limit for draft numbers, which are never this large


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: SignedIn, membership: Membership, assignment: str) -> HttpResponseBase:
    """The draft in the editor: GET loads it on another device, POST saves it while the student types."""
    wanted = opened_in(membership, assignment)
    if request.method != "POST":
        found = draft_of(wanted, membership)
        return JsonResponse(
            _draft(found) if found else {"version": 0, "source": page_of(wanted.exercise_version).starter, "text": ""}
        )
    if request.POST.get("owner", str(request.user.pk)) != str(request.user.pk):
        return JsonResponse(
            {"text": "This browser is now signed in to another account, so this draft was not saved."}, status=403
        )
    try:
        rate_limits.keep(request, "draft", request.user)
    except TooOften as refused:
        return too_many_requests(JsonResponse({"text": refused.message}), refused)
    seen = number_in(request.POST.get("seen", ""))
    if seen is None or seen > NEWEST:
        return JsonResponse({"text": "The request does not name its draft version. Reload the page."}, status=400)
    try:
        saved = draft_save(
            assignment=wanted, membership=membership, source=normal_line_ends(request.POST.get("source", "")), seen=seen
        )
    except Refused as refused:
        return JsonResponse({"text": refused.message}, status=413)
    return JsonResponse(_draft(saved.draft), status=200 if saved.mine else 409)


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
def restore(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    """Load one of the member's submissions into the editor. Without a submission, restore the previous content."""
    wanted = opened_in(membership, assignment)
    if request.method != "POST":
        return redirect("exercise", membership.course.slug, wanted.slug)
    rate_limits.keep(request, "restore", request.user)
    named = request.POST.get("submission", "")
    if not named:
        return _put_back(request, membership, wanted)
    number = number_in(named)
    if number is None:
        raise Http404("no such submission")
    submission = submission_for(request.user, number).submission
    if submission.assignment_id != wanted.pk or submission.membership_id != membership.pk:
        raise Http404("not a submission of yours to this exercise")
    starter = page_of(wanted.exercise_version).starter
    draft_replace(assignment=wanted, membership=membership, source=text_of(submission), otherwise=starter)
    messages.success(
        request,
        f"The submission of {timestamps.moment(submission.submitted_at)} was restored to the editor.",
        extra_tags="restored",
    )
    return redirect(f"{reverse('exercise', args=(membership.course.slug, wanted.slug))}#code")


def _put_back(request: SignedIn, membership: Membership, wanted: Assignment) -> HttpResponse:
    try:
        draft_put_back(assignment=wanted, membership=membership)
        messages.success(request, "Your previous code was restored to the editor.")
    except Refused as refused:
        messages.error(request, refused.message)
    return redirect(f"{reverse('exercise', args=(membership.course.slug, wanted.slug))}#code")


@members_only
@require_safe
def starter(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    return _python(page_of(opened_in(membership, assignment).exercise_version).starter.encode(), f"{assignment}-starter.py")


@members_only
@require_safe
def download(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    """Download the content of the editor as a file."""
    wanted = opened_in(membership, assignment)
    found = draft_of(wanted, membership)
    return _python((found.source if found else page_of(wanted.exercise_version).starter).encode(), f"{assignment}.py")


def _python(source: bytes, name: str) -> HttpResponse:
    return HttpResponse(
        source,
        content_type="text/x-python; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"},
    )


def _draft(found: Draft) -> dict[str, object]:
    return {
        "version": found.number,
        "source": found.source,
        "saved_at": found.saved_at.isoformat(),
        "text": f"Draft saved {timestamps.moment(found.saved_at).removeprefix('today ')}",
    }
