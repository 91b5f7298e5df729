"""Views that receive a student's code: runs, submissions, drafts, and restoring a submission. Errors never discard typed
code.
"""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from autograder.courses.errors import Refused, TooOften
from autograder.courses.models import Assignment, Membership
from autograder.courses.selectors import is_staff_of
from autograder.library.pages import page_of
from autograder.submissions import intake
from autograder.submissions.attempts import allowance_of
from autograder.submissions.drafts import LARGEST, draft_of, draft_put_back, draft_replace, draft_save
from autograder.submissions.models import Draft, Kind
from autograder.web import rate_limits, timestamps
from autograder.web.access import (
    SignedIn,
    ViewedSubmission,
    assignment_in,
    members_only,
    number_in,
    opened_in,
    submission_for,
)
from autograder.web.results.shown_file import text_of
from autograder.web.results.status import status_of
from autograder.web.student.exercise.confirmation import Unconfirmed, require_confirmation
from autograder.web.student.exercise.page import limits_context, new_submission_key, show

ONCE = 32
NEWEST = 999_999_999  # upper limit for draft numbers, which are never this large


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
def hand_in(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    """Run or submit. An uploaded file takes precedence over the editor."""
    wanted = assignment_in(membership, assignment)
    if request.method != "POST":
        return _back_to_exercise(membership, wanted)
    source = b""
    try:
        source = _source(request)
        rate_limits.keep(request, "submit", request.user)
        if _kind(request) == Kind.SUBMIT:
            _ask_first(request, membership, wanted, source)
        submission = intake.submit(
            user=request.user,
            course=membership.course,
            assignment=wanted.slug,
            source=source,
            kind=_kind(request),
            once=request.POST.get("once", "")[:ONCE],
        )
    except Refused as refused:
        return _not_taken(request, membership, wanted, refused, source)
    if not is_live(request):
        return redirect(f"{reverse('exercise', args=(membership.course.slug, wanted.slug))}?s={submission.pk}#result")
    submission.assignment = wanted  # reuse the page that is already loaded
    context = {
        "status": status_of(ViewedSubmission(submission, membership)),
        "fresh": True,
        "once": new_submission_key(),
    } | limits_context(membership, wanted, allowance_of(wanted, membership, timezone.now()))
    return render(request, "web/results/outcome.html", context)


def _ask_first(request: SignedIn, membership: Membership, wanted: Assignment, source: bytes) -> None:
    """Ask for confirmation, except for a repeated request and if the submission would be refused anyway."""
    once = request.POST.get("once", "")[:ONCE]
    allowance = allowance_of(wanted, membership, timezone.now())
    repeated = intake.is_repeated(membership=membership, assignment=wanted, source=source, kind=Kind.SUBMIT, once=once)
    if not repeated and (allowance.may_submit or is_staff_of(membership)):
        require_confirmation(membership, wanted, allowance, source, request.POST.get("confirmed", ""))


def _not_taken(
    request: SignedIn, membership: Membership, wanted: Assignment, refused: Refused, source: bytes
) -> HttpResponse:
    """Return the error to scripts, or the page with the typed code to browsers. A question comes with its confirmation
    token.
    """
    question = refused.question if isinstance(refused, Unconfirmed) else None
    if is_live(request):
        response = HttpResponse(refused.message, status=422, content_type="text/plain; charset=utf-8")
    else:
        typed = source.decode("utf-8", "replace")
        response = show(request, membership, wanted, refused=refused.message, typed=typed, question=question)
    if question:
        response["Gradus-Confirm"] = question.token
    if isinstance(refused, TooOften):
        response.status_code = 429
        response["Retry-After"] = str(refused.seconds)
    return response


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
            {"text": "Another account is signed in in this browser now, so this draft was not saved."}, status=403
        )
    try:
        rate_limits.keep(request, "draft", request.user)
    except TooOften as trouble:
        response = JsonResponse({"text": trouble.message}, status=429)
        response["Retry-After"] = str(trouble.seconds)
        return response
    seen = number_in(request.POST.get("seen", ""))
    if seen is None or seen > NEWEST:
        return JsonResponse({"text": "The request does not name its draft version. Reload the page."}, status=400)
    try:
        saved = draft_save(
            assignment=wanted, membership=membership, source=_lines(request.POST.get("source", "")), seen=seen
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
        return _back_to_exercise(membership, wanted)
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
        f"The submission of {timestamps.moment(submission.submitted_at)} was restored into the editor.",
        extra_tags="restored",
    )
    return redirect(f"{reverse('exercise', args=(membership.course.slug, wanted.slug))}#code")


def _back_to_exercise(membership: Membership, wanted: Assignment) -> HttpResponse:
    """Redirect a GET request, for example after a login because the session ended during a submit."""
    return redirect("exercise", membership.course.slug, wanted.slug)


def _put_back(request: SignedIn, membership: Membership, wanted: Assignment) -> HttpResponse:
    try:
        draft_put_back(assignment=wanted, membership=membership)
        messages.success(request, "Your previous code was restored into the editor.")
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


def is_live(request: SignedIn) -> bool:
    """Whether a script sent the request and will insert the response into the page."""
    return request.headers.get("HX-Request") == "true"


def _python(source: bytes, name: str) -> HttpResponse:
    return HttpResponse(
        source,
        content_type="text/x-python; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"},
    )


def _kind(request: SignedIn) -> Kind:
    try:
        return Kind(request.POST.get("kind", ""))
    except ValueError:
        raise Refused(
            "The request does not say whether to run or to submit. Nothing was submitted. Reload the page."
        ) from None


def _source(request: SignedIn) -> bytes:
    upload = request.FILES.get("file")
    if upload is None:
        return _lines(request.POST.get("source", "")).encode()
    name = str(upload.name)
    if not name.endswith(".py"):
        raise Refused(f"{name[-80:]} is not a Python file: the name must end in .py. Nothing was submitted.")
    if (upload.size or 0) > LARGEST:
        raise Refused(f"{name[-80:]} has {upload.size:,} bytes; the limit is {LARGEST:,} bytes. Nothing was submitted.")
    return bytes(upload.read())


def _lines(text: str) -> str:
    """Normalize line ends: forms send CR LF."""
    return text.replace("\r\n", "\n")


def _draft(found: Draft) -> dict[str, object]:
    return {
        "version": found.number,
        "source": found.source,
        "saved_at": found.saved_at.isoformat(),
        "text": f"Draft saved {timestamps.moment(found.saved_at).removeprefix('today ')}",
    }
