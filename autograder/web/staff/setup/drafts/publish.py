"""Publishing a draft: what keeps it from being published, what is new, its versions, and who may assign it."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from autograder.authoring import drafts, publishing, trials
from autograder.authoring.models import Draft, Publication
from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.library.versions import files_of_version
from autograder.web.access import SignedIn, number_in
from autograder.web.forms import add_refusal, focus_first_error
from autograder.web.results.diff import Diff, diff_of
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.setup.drafts.forms import PublishForm
from autograder.web.staff.setup.drafts.page import draft_in


@dataclass(frozen=True)
class ChangedFile:
    path: str
    how: str  # added, removed or changed
    diff: Diff


@staff_only(Right.SET_UP)
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    row = draft_in(staff, draft)
    form = PublishForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = publishing.publish(row, form.cleaned_data["note"], by=staff)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(request, f"Version {made.number} of {row.title} is published. It can be assigned now.")
            return redirect("draft-publish", staff.course.slug, row.slug)
    focus_first_error(form)
    versions = _publications(row)
    exercise = publishing.published(row)
    before = files_of_version(versions[0].version) if versions else {}
    context = page_context(staff, "exercises") | {
        "draft": row,
        "form": form,
        "obstacle": publishing.obstacle(row),
        "versions": versions,
        "changed": changed_files(before, drafts.texts_of(row)) if versions else [],
        "exercise": exercise,
        "use": publishing.use_of(exercise, staff.course) if exercise else None,
        "may_approve": row.wants_reader and row.read_edition != row.edition,
    }
    return render(request, "web/staff/setup/drafts/publish.html", context)


@staff_only(Right.SET_UP)
@require_POST
def change_publication(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    """What else is decided on the page: the second reader, sharing and withdrawing."""
    row, do = draft_in(staff, draft), request.POST.get("do", "")
    said = {
        "reader": "Each edition now needs the approval of a second reader.",
        "no-reader": "No second reader is needed any more.",
        "approve": "You approved this edition.",
        "share": "Other courses can assign this exercise now.",
        "unshare": "No further course can assign this exercise. Courses that have it keep it.",
        "withdraw": "The exercise is withdrawn: nobody can assign it. Courses that have it keep it.",
        "bring-back": "The exercise can be assigned again.",
    }
    if do not in said:
        raise Http404("no such decision")
    try:
        _decide(row, do, number_in(request.POST.get("edition", "")) or 0, staff)
    except Refused as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, said[do])
    return redirect("draft-publish", staff.course.slug, row.slug)


@staff_only(Right.SET_UP)
@require_safe
def version(request: SignedIn, staff: Membership, draft: str, version: int) -> HttpResponse:
    """What a version changed, compared with the one before."""
    row = draft_in(staff, draft)
    found = {publication.number: publication for publication in _publications(row)}
    if version not in found:
        raise Http404("no such version")
    before = files_of_version(found[version - 1].version) if version - 1 in found else {}
    context = page_context(staff, "exercises") | {
        "draft": row,
        "publication": found[version],
        "changed": changed_files(before, files_of_version(found[version].version)),
    }
    return render(request, "web/staff/setup/drafts/version.html", context)


@staff_only(Right.SET_UP)
@require_POST
def try_out(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    row = draft_in(staff, draft)
    try:
        trial = trials.begin(row, by=staff)
    except Refused as refused:
        messages.error(request, refused.message)
        return redirect("workspace", staff.course.slug, row.slug)
    return redirect("exercise", trial.course.slug, trial.slug)


def changed_files(before: Mapping[str, str], after: Mapping[str, str]) -> list[ChangedFile]:
    """The files that differ, in the order of their paths."""
    return [
        ChangedFile(
            path,
            "added" if path not in before else "removed" if path not in after else "changed",
            diff_of(before.get(path, "").encode(), after.get(path, "").encode()),
        )
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    ]


def _publications(draft: Draft) -> list[Publication]:
    """Those of the exercise that the draft is published as, the latest first."""
    found = Publication.objects.filter(version__exercise__slug=draft.slug, course=draft.course)
    return list(found.select_related("version", "published_by").order_by("-number"))


def _decide(draft: Draft, do: str, edition: int, staff: Membership) -> None:
    if do in ("reader", "no-reader"):
        publishing.want_reader(draft, wanted=do == "reader", by=staff)
    elif do == "approve":
        publishing.approve(draft, edition, by=staff)
    elif do in ("share", "unshare"):
        publishing.share(draft, shared=do == "share", by=staff)
    elif do == "withdraw":
        publishing.withdraw(draft, by=staff)
    else:
        publishing.bring_back(draft, by=staff)
