"""The view that receives a student's code, to run or to submit it. Errors never discard typed code."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Membership
from autograder.courses.selectors import is_staff_of
from autograder.judge.files import FilesError
from autograder.library.pages import page_of
from autograder.library.uploads import MAX_ZIP_BYTES, NAME_KEPT, SentFile, Upload, is_notebook, read_limit, source_of, unzip
from autograder.submissions.handing_in import intake
from autograder.submissions.handing_in.answers import parts_of
from autograder.submissions.handing_in.attempts import allowance_of
from autograder.submissions.handing_in.drafts import MAX_SOURCE_BYTES
from autograder.submissions.handing_in.file_sets import completed
from autograder.submissions.models import Kind
from autograder.web import rate_limits
from autograder.web.access import (
    SignedIn,
    ViewedSubmission,
    assignment_in,
    members_only,
)
from autograder.web.results.status import status_of
from autograder.web.student.exercise.answers import save_answers
from autograder.web.student.exercise.confirmation import require_confirmation
from autograder.web.student.exercise.page import limits_context, new_submission_key
from autograder.web.student.exercise.refusals import is_live, refusal

ONCE = 32


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
def hand_in(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    """Run or submit. An uploaded file takes precedence over the editor."""
    wanted = assignment_in(membership, assignment)
    if request.method != "POST":
        return redirect("exercise", membership.course.slug, wanted.slug)
    source = b""
    try:
        save_answers(request, membership, wanted)
        source = _source(request, wanted)
        source = completed(source, wanted, membership)
        rate_limits.count(request, "submit", request.user)
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
        return refusal(request, membership, wanted, refused, source.decode("utf-8", "replace"))
    if not is_live(request):
        return redirect(f"{reverse('exercise', args=(membership.course.slug, wanted.slug))}?s={submission.pk}#result")
    submission.assignment = wanted  # reuse the page that is already loaded
    context = {
        "status": status_of(ViewedSubmission(submission, membership)),
        "fresh": True,
        "parts": parts_of(wanted, membership),
        "course": membership.course,
        "assignment": wanted,
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


def _kind(request: SignedIn) -> Kind:
    try:
        return Kind(request.POST.get("kind", ""))
    except ValueError:
        raise Refused(
            "The request does not say whether to run or to submit. Nothing was submitted. Reload the page."
        ) from None


def _source(request: SignedIn, wanted: Assignment) -> bytes:
    upload = request.FILES.get("file")
    if upload is None:
        return normal_line_ends(request.POST.get("source", "")).encode()
    name = str(upload.name)
    if page_of(wanted.exercise_version).files is not None or is_notebook(name):
        try:
            return uploaded(request, wanted).source
        except FilesError as error:
            raise Refused(f"{error} Nothing was submitted.") from error
    if not name.endswith(".py"):
        raise Refused(
            f"{name[-80:]} is neither a Python file nor a notebook: the name must end in .py or .ipynb. Nothing was submitted."
        )
    if (upload.size or 0) > MAX_SOURCE_BYTES:
        raise Refused(
            f"{name[-80:]} is {upload.size:,} bytes; the limit is {MAX_SOURCE_BYTES:,} bytes. Nothing was submitted."
        )
    return bytes(upload.read())


def uploaded(request: SignedIn, wanted: Assignment) -> Upload:
    """The editor's files with those that were sent put in. Raises FilesError.

    Browsers send only the last part of a file's name, so a script sends the paths separately.
    """
    page = page_of(wanted.exercise_version)
    paths = request.POST.getlist("path")
    sent: list[SentFile] = []
    for number, upload in enumerate(request.FILES.getlist("file")):
        name = paths[number] if number < len(paths) else str(upload.name)
        if name.endswith(".zip"):
            sent += unzip(upload.read(MAX_ZIP_BYTES + 1), name[-NAME_KEPT:])
        else:
            sent.append(SentFile(name, upload.read(read_limit(name))))
    current = normal_line_ends(request.POST.get("source", "")).encode()
    slug = wanted.exercise_version.exercise.slug
    return source_of(sent, page.files, page.file_of(slug), current, slug)


def normal_line_ends(text: str) -> str:
    """Normalize line ends: forms send CR LF."""
    return text.replace("\r\n", "\n")
