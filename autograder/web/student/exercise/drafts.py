"""The draft in the editor: loading, saving, restoring and downloading it, also as a notebook."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from autograder.courses.errors import Refused, TooOften
from autograder.courses.models import Assignment, Membership
from autograder.judge.files import FilesError
from autograder.library.notebooks.download import ExerciseText, notebook_of
from autograder.library.pages import Page, page_of
from autograder.library.uploads import zipped
from autograder.library.versions import statement_of
from autograder.submissions.handing_in.drafts import draft_of, draft_put_back, draft_replace, draft_save
from autograder.submissions.handing_in.file_sets import own_files
from autograder.submissions.handing_in.numbering import name_of, number_of
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
from autograder.web.results.diff import diff_of
from autograder.web.results.shown_file import shown_file, text_of
from autograder.web.student.exercise.submitting import normal_line_ends, uploaded

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
        rate_limits.count(request, "draft", request.user)
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
    if saved.mine:
        return JsonResponse(_draft(saved.draft))
    return JsonResponse(_draft(saved.draft) | {"versions": _two_versions(saved.draft, request)}, status=409)


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
def restore(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    """Load one of the member's submissions into the editor. Without a submission, restore the previous content."""
    wanted = opened_in(membership, assignment)
    if request.method != "POST":
        return redirect("exercise", membership.course.slug, wanted.slug)
    rate_limits.count(request, "restore", request.user)
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
    own = own_files(text_of(submission).encode(), page_of(wanted.exercise_version).files).decode()
    draft_replace(assignment=wanted, membership=membership, source=own, otherwise=starter)
    name = name_of(submission, number_of(submission))
    messages.success(
        request,
        f"{name[0].upper()}{name[1:]} was restored to the editor.",
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
@require_http_methods(["POST"])
def upload(request: SignedIn, membership: Membership, assignment: str) -> HttpResponseBase:
    """Put files, a folder or a zip archive into the editor's text. Nothing is stored."""
    wanted = opened_in(membership, assignment)
    try:
        rate_limits.count(request, "draft", request.user)
        found = uploaded(request, wanted)
    except TooOften as refused:
        return too_many_requests(JsonResponse({"text": refused.message}), refused)
    except FilesError as error:
        return JsonResponse({"text": str(error)}, status=422)
    return JsonResponse({"source": found.source.decode(), "text": " ".join(found.notes)})


@members_only
@require_safe
def starter(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    page = page_of(opened_in(membership, assignment).exercise_version)
    return _attached(page.starter, page, f"{assignment}-starter")


@members_only
@require_http_methods(["GET", "HEAD", "POST"])
def download(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    """Download the content of the editor: a file, or a zip archive with the read-only files. POST names the content."""
    wanted = opened_in(membership, assignment)
    page = page_of(wanted.exercise_version)
    if request.method == "POST":
        return _attached(normal_line_ends(request.POST.get("source", "")), page, assignment)
    found = draft_of(wanted, membership)
    return _attached(found.source if found else page.starter, page, assignment)


@members_only
@require_safe
def notebook(request: SignedIn, membership: Membership, assignment: str) -> HttpResponse:
    """Download the exercise as a notebook: the statement, the saved draft or the starter code, and a cell for the checks."""
    wanted = opened_in(membership, assignment)
    version = wanted.exercise_version
    page, found = page_of(version), draft_of(wanted, membership)
    slug = version.exercise.slug
    text = ExerciseText(
        exercise=slug,
        title=wanted.title,
        statement=statement_of(version),
        source=(found.source if found else page.starter).encode(),
        file_name=page.file_of(slug),
        given=page.files.given if page.files else {},
        address=request.build_absolute_uri(reverse("exercise", args=(membership.course.slug, wanted.slug))),
    )
    return _attachment(notebook_of(text), "application/x-ipynb+json", f"{assignment}.ipynb")


def _attached(source: str, page: Page, name: str) -> HttpResponse:
    if page.files is not None:
        content, kind, name = zipped(source.encode(), page.files.given), "application/zip", f"{name}.zip"
    else:
        content, kind, name = source.encode(), "text/x-python; charset=utf-8", f"{name}.py"
    return _attachment(content, kind, name)


def _attachment(content: bytes, kind: str, name: str) -> HttpResponse:
    return HttpResponse(
        content,
        content_type=kind,
        headers={"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"},
    )


def _two_versions(saved: Draft, request: SignedIn) -> str:
    """What happened, and how the text on this page differs from the saved one."""
    here = normal_line_ends(request.POST.get("source", ""))
    file, diff = shown_file(saved.source.encode()), diff_of(saved.source.encode(), here.encode())
    context = {"saved": saved, "diff": diff, "file": file, "shown": "\n".join(file.lines)}
    return render_to_string("web/student/exercise/two_versions.html", context, request)


def _draft(found: Draft) -> dict[str, object]:
    return {
        "version": found.number,
        "source": found.source,
        "saved_at": found.saved_at.isoformat(),
        "text": f"Draft saved {timestamps.moment(found.saved_at).removeprefix('today ')}",
    }
