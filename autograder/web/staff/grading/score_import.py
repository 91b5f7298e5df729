"""Imports scores from a file: a preview of every cell, then all of it as one change that can be undone.

The page carries the parsed file, signed. What is imported is therefore what was shown; it is validated again.
"""

from dataclasses import dataclass
from typing import Any, cast

import msgspec
from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.courses.tables.csv_reader import MAX_BYTES
from autograder.gradebook.grades.frozen import frozen_since
from autograder.gradebook.imports import score_file, score_import
from autograder.gradebook.imports.score_file import ScoreFile
from autograder.gradebook.imports.score_import import MAX_OWN_REASON, Choices, PreviewChanged
from autograder.gradebook.imports.score_preview import CellStatus, ScoreCell, ScorePreview, ScoreRow
from autograder.gradebook.models import ScoreImport
from autograder.web import numbers
from autograder.web.access import SignedIn, number_in
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.signed_previews import salt_for, sign, unsign

SALT = "gradus.scores"
MAX_SHOWN = 500  # cells to list per status; others are only counted
MAX_IMPORTS = 20  # in the list
TITLES = {
    CellStatus.CONFLICT: "different in the gradebook",
    CellStatus.BAD: "cannot be imported",
    CellStatus.EXCUSED: "student is excused, so nothing is imported",
    CellStatus.NEW: "new",
    CellStatus.SAME: "unchanged",
}


class FileForm(forms.Form):
    file = forms.FileField(label="File", widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}))

    def clean_file(self) -> ScoreFile:
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                f"The file is larger than {MAX_BYTES // 1_000_000} MB, so it cannot be a score list."
            )
        try:
            return score_file.read(cast("bytes", file.read()), str(file.name))
        except Refused as refused:
            raise forms.ValidationError(refused.message) from refused


class ChoicesForm(forms.Form):
    """The choices about a preview. Fields that do not apply to it are left out of the page."""

    conflicts = forms.ChoiceField(
        choices=[("keep", "Keep the scores in the gradebook"), ("replace", "Replace them with the scores in the file")],
        initial="keep",
        required=False,
        widget=forms.RadioSelect,
    )
    above = forms.BooleanField(required=False)
    only_good = forms.BooleanField(required=False)
    reason = forms.CharField(
        max_length=MAX_OWN_REASON,
        required=False,
        label="Reason (optional)",
        help_text="Shown to students, after the file name and the date.",
    )

    def choices(self) -> Choices:
        given = self.cleaned_data
        return Choices(given["conflicts"] == "replace", given["above"], given["only_good"], given["reason"])


@dataclass(frozen=True)
class ScoreGroup:
    """Cells with the same status, possibly shortened. `count` is their total number."""

    status: CellStatus
    title: str
    cells: list[tuple[ScoreRow, ScoreCell]]
    count: int

    @property
    def more(self) -> int:
        return self.count - len(self.cells)


@staff_only(Right.OVERRIDE)
@require_http_methods(["GET", "HEAD", "POST"])
def import_scores(request: SignedIn, staff: Membership) -> HttpResponse:
    match request.POST.get("do"):
        case "import":
            return _import(request, staff)
        case "undo":
            return _undo(request, staff)
    form = FileForm(request.POST or None, request.FILES or None)
    if request.method != "POST" or not form.is_valid():
        return _page(request, staff, form)
    try:
        preview = score_import.preview_import(course=staff.course, file=form.cleaned_data["file"], by=staff)
        kept = _sealed(preview, staff)
    except Refused as refused:
        form.add_error("file", refused.message)
        return _page(request, staff, form)
    return _page(request, staff, FileForm(), _shown(preview, kept, ChoicesForm()))


def _import(request: SignedIn, staff: Membership) -> HttpResponse:
    file, seen = _opened(request.POST.get("kept", ""), staff)
    form = ChoicesForm(request.POST)
    if not form.is_valid():
        preview = score_import.preview_import(course=staff.course, file=file, by=staff)
        return _page(request, staff, FileForm(), _shown(preview, _sealed(preview, staff), form))
    try:
        done = score_import.import_scores(course=staff.course, file=file, by=staff, choices=form.choices(), seen=seen)
    except PreviewChanged as changed:
        shown = _shown(changed.fresh, _sealed(changed.fresh, staff), form, changed.message)
        return _page(request, staff, FileForm(), shown, status=409)
    except Refused as refused:
        preview = score_import.preview_import(course=staff.course, file=file, by=staff)
        shown = _shown(preview, _sealed(preview, staff), form, refused.message)
        return _page(request, staff, FileForm(), shown, status=409)
    kept = f" {numbers.quantity(done.kept, 'score')} kept unchanged." if done.kept else ""
    messages.success(request, f"{numbers.quantity(done.stored, 'score')} imported from {file.name}.{kept}")
    return redirect("import-scores", staff.course.slug)


def _undo(request: SignedIn, staff: Membership) -> HttpResponse:
    number = number_in(request.POST.get("import", ""))
    found = ScoreImport.objects.select_related("course").filter(course=staff.course, pk=number or 0).first()
    if found is None:
        raise Http404("no such import")
    undone = score_import.undo_import(score_import=found, by=staff)
    kept = (
        f" Kept because of later changes: {numbers.quantity(undone.changed_since, 'score')}." if undone.changed_since else ""
    )
    what = f"{numbers.quantity(undone.restored, 'score')} restored."
    messages.success(request, f"The import from {found.file_name} was undone: {what}{kept}")
    return redirect("import-scores", staff.course.slug)


def _page(
    request: SignedIn, staff: Membership, form: FileForm, shown: dict[str, Any] | None = None, *, status: int = 200
) -> HttpResponse:
    imports = score_import.imports_of(staff.course, MAX_IMPORTS + 1)
    context = page_context(staff, "gradebook") | {
        "form": form,
        "frozen": frozen_since(staff.course_id),
        "imports": imports[:MAX_IMPORTS],
        "more_imports": len(imports) > MAX_IMPORTS,
        **(shown or {}),
    }
    return render(request, "web/staff/grading/score_import.html", context, status=status)


def _shown(preview: ScorePreview, kept: str, choices: ChoicesForm, trouble: str = "") -> dict[str, Any]:
    groups = [
        ScoreGroup(status, title, preview.cells(status)[:MAX_SHOWN], preview.counts[status])
        for status, title in TITLES.items()
        if preview.counts[status]
    ]
    return {
        "preview": preview,
        "kept": kept,
        "choices": choices,
        "trouble": trouble,
        "groups": groups,
        "bad": len(preview.bad_rows) + preview.counts[CellStatus.BAD],
        "conflicts": preview.counts[CellStatus.CONFLICT],
        "unchanged": preview.counts[CellStatus.SAME],
        "excused": preview.counts[CellStatus.EXCUSED],
        "new": preview.counts[CellStatus.NEW],
        "changes": preview.counts[CellStatus.NEW] + preview.counts[CellStatus.CONFLICT],
    }


# -- signed state between the preview and the import ------------------------------------------------------------------


def _sealed(preview: ScorePreview, staff: Membership) -> str:
    return sign({"file": msgspec.to_builtins(preview.file), "seen": preview.judgements}, salt_for(SALT, staff))


def _opened(kept: str, staff: Membership) -> tuple[ScoreFile, list[list[str]]]:
    words = ", or belongs to another person. Nothing was imported."
    found = unsign(kept, salt_for(SALT, staff), words)
    return msgspec.convert(found["file"], ScoreFile), found["seen"]
