"""The workspace: all files of a draft, saved as they are typed, with the proof and the statement beside them."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from autograder.authoring import drafts, edits, paths, settings_file, trials
from autograder.authoring.models import Draft, DraftFile
from autograder.courses.errors import Conflict, Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.library import statements
from autograder.web.access import SignedIn
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.setup.drafts.addresses import address_of
from autograder.web.staff.setup.drafts.page import draft_in
from autograder.web.staff.setup.drafts.proof import findings_by_file, panel_of, survivor_of
from autograder.web.staff.setup.drafts.settings import form_of
from autograder.web.timestamps import moment

GROUPS = (
    ("What students see", ("statement.md", "starter.py", "starter/", "given/")),
    ("What decides", ("checks.py", "*.py", "solution.py", "solution/", "exercise.toml")),
    ("Beside it", ("support/", "carried/")),
    ("Right", ("right/",)),
    ("Wrong", ("wrong/",)),
)


@staff_only(Right.SET_UP)
@require_http_methods(["GET", "HEAD", "POST"])
def workspace(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    """Without scripts, the open file is sent with a button."""
    row = draft_in(staff, draft)
    conflict = None
    if request.method == "POST":
        path, text = request.POST.get("path", ""), _text(request)
        try:
            saved = drafts.save(row, path, text, _edition(request), by=staff)
        except Conflict as refused:
            messages.error(request, refused.message)
            conflict = text
        else:
            messages.success(request, f"{saved.path} was saved.")
            return redirect(address_of(row, saved.path))
    listed = list(row.files.defer("text").order_by("path"))
    wanted = request.POST.get("path") or request.GET.get("file") or "statement.md"
    file = row.files.select_related("changed_by").filter(path=wanted).first()
    if file is None:
        if "file" in request.GET:
            raise Http404("no such file in this draft")
        file = row.files.order_by("path").first()
    panel = panel_of(row)
    as_form = file is not None and file.path == settings_file.PATH and "text" not in request.GET and conflict is None
    context = page_context(staff, "exercises") | {
        "draft": row,
        "groups": _groups(listed, findings_by_file(panel)),
        "file": file,
        "text": conflict if conflict is not None else file.text if file else "",
        "panel": panel,
        "statement": statements.html_of(_statement(row)),
        "settings": form_of(file) if as_form and file else None,
        "may_try": trials.may_begin(row),
        "removable": file is not None and file.path not in paths.REQUIRED,
    }
    return render(request, "web/staff/setup/drafts/workspace.html", context, status=200 if conflict is None else 409)


@staff_only(Right.SET_UP)
@require_POST
def save(request: SignedIn, staff: Membership, draft: str) -> JsonResponse:
    """Save a file as it is typed. If somebody else has changed it, the answer holds their text, and nothing is stored."""
    row = draft_in(staff, draft)
    try:
        file = drafts.save(row, request.POST.get("path", ""), _text(request), _edition(request), by=staff)
    except Conflict as refused:
        stands = refused.stands
        theirs = {"text": stands.text, "edition": stands.edition} if stands else {}
        return JsonResponse({"message": refused.message, **theirs}, status=409)
    except Refused as refused:
        return JsonResponse({"message": refused.message}, status=422)
    return JsonResponse({"edition": file.edition, "saved": moment(file.changed_at, seconds=True)})


@staff_only(Right.SET_UP)
@require_POST
def change_files(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    """Add, rename or remove a file."""
    row, path, new = draft_in(staff, draft), request.POST.get("path", ""), request.POST.get("new", "").strip()
    do, shown = request.POST.get("do"), path
    try:
        if do == "add":
            shown = drafts.add(row, new, by=staff).path
        elif do == "rename":
            shown = drafts.rename(row, path, new, by=staff).path
        elif do == "remove":
            drafts.remove_file(row, path, _edition(request), by=staff)
            messages.success(request, f"{path} was removed.")
            shown = "checks.py"
    except Refused as refused:
        messages.error(request, refused.message)
    return redirect(address_of(row, shown))


@staff_only(Right.SET_UP)
@require_POST
def use_survivor(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    """Add the question on which a mutant differs to a hidden check, or keep the mutant as a wrong solution."""
    row = draft_in(staff, draft)
    path, line = "checks.py", 0
    try:
        survivor = survivor_of(row, request.POST.get("edition", ""), request.POST.get("number", ""))
        if request.POST.get("do") == "keep":
            path = drafts.add(row, request.POST.get("path", "").strip(), survivor.mutant, by=staff).path
            messages.success(request, f"{path} was added. Write what the mistake is in its first line.")
        else:
            file = row.files.get(path=path)
            text, line = edits.with_statement(file.text, survivor.statement)
            drafts.save(row, path, text, file.edition, by=staff)
            messages.success(request, "The question was added to the last hidden check.")
    except Refused as refused:
        messages.error(request, refused.message)
    return redirect(address_of(row, path, line))


@staff_only(Right.SET_UP)
@require_safe
def proof(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    """The panel; status 204 keeps one that has not changed, so that nobody loses their place in it."""
    row = draft_in(staff, draft)
    panel = panel_of(row)
    if request.GET.get("seen") == panel.mark:
        return HttpResponse(status=204)
    context = {"course": staff.course, "draft": row, "panel": panel}
    return render(request, "web/staff/setup/drafts/proof.html", context)


@staff_only(Right.SET_UP)
@require_POST
def preview(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    """The statement as students will see it, while it is typed."""
    draft_in(staff, draft)
    html = statements.html_of(_text(request)[: paths.MAX_FILE])
    return render(request, "web/staff/setup/drafts/statement.html", {"statement": html})


@staff_only(Right.SET_UP)
@require_POST
def here(request: SignedIn, staff: Membership, draft: str) -> HttpResponse:
    """The page is open. Answers with who else has it open."""
    others = drafts.visit(draft_in(staff, draft), request.POST.get("path", ""), by=staff)
    return render(request, "web/staff/setup/drafts/others.html", {"others": others})


def _groups(files: list[DraftFile], findings: dict[str, int]) -> list[tuple[str, list[tuple[DraftFile, int]]]]:
    groups = []
    for title, starts in GROUPS:
        own = [file for start in starts for file in files if _is_of(file.path, start)]
        if own:
            groups.append((title, [(file, findings.get(file.path, 0)) for file in own]))
    return groups


def _is_of(path: str, start: str) -> bool:
    if start == "*.py":  # modules that checks.py reads
        return "/" not in path and path.endswith(".py") and path not in ("checks.py", "starter.py", "solution.py")
    return path == start or (start.endswith("/") and path.startswith(start))


def _statement(draft: Draft) -> str:
    return draft.files.filter(path="statement.md").values_list("text", flat=True).first() or ""


def _text(request: SignedIn) -> str:
    return request.POST.get("text", "").replace("\r\n", "\n").replace("\r", "\n")


def _edition(request: SignedIn) -> int:
    number: Any = request.POST.get("edition", "")
    return int(number) if number.isdecimal() and len(number) < 10 else 0
