"""Imports student ids from a Canvas or Moodle export: a preview of every row, then all rows or none.

The page carries the parsed rows, signed. What is applied is therefore what was shown; it is validated again.
"""

from typing import Any, cast

import msgspec
from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import Refused
from autograder.courses.importers.lms_ids import LmsIdsPreview, lms_ids_import, lms_ids_preview
from autograder.courses.importers.rows import ImportRow, RowStatus
from autograder.courses.models import Course, Membership
from autograder.courses.rights import Right
from autograder.courses.tables.csv_reader import MAX_BYTES, too_large
from autograder.web import numbers
from autograder.web.access import SignedIn
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.forms import ACCEPTED_TABLES
from autograder.web.staff.signed_previews import sign, unsign

SALT = "gradus.ids"


class FileForm(forms.Form):
    file = forms.FileField(
        label="Gradebook downloaded from Canvas or Moodle", widget=forms.FileInput(attrs={"accept": ACCEPTED_TABLES})
    )

    def clean_file(self) -> bytes:
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(too_large("The file"))
        return cast("bytes", file.read())


@staff_only(Right.PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def import_ids(request: SignedIn, staff: Membership) -> HttpResponse:
    if request.method == "POST" and "read" in request.POST:
        return _apply(request, staff)
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    ids, sealed = None, ""
    if request.method == "POST" and form.is_valid():
        try:
            ids = lms_ids_preview(form.cleaned_data["file"], staff.course)
            sealed = _sealed(ids)
        except Refused as refused:
            form.add_error("file", refused.message)
    shown: dict[str, Any] = {"form": form, "ids": ids}
    if ids is not None:
        shown |= {
            "read": sealed,
            "counts": [(str(status), count) for status, count in ids.counts.items()],
            "problems": [row for row in ids.rows if row.message],
            "fills": ids.counts[RowStatus.FILLED],
        }
    return render(request, "web/staff/people/lms_ids_import.html", page_context(staff, "gradebook") | shown)


def _apply(request: SignedIn, staff: Membership) -> HttpResponse:
    ids = _opened(staff.course, request.POST["read"])
    done = lms_ids_import(preview=ids, by=staff, only_good="only_good" in request.POST)
    filled = done.counts[RowStatus.FILLED]
    messages.success(request, f"IDs of {numbers.quantity(filled, 'student')} filled in from {done.source}.")
    return redirect("export", staff.course.slug)


def _sealed(ids: LmsIdsPreview) -> str:
    rows = [msgspec.to_builtins(row) for row in ids.rows]
    return sign({"course": ids.course.pk, "source": ids.source, "rows": rows}, SALT)


def _opened(course: Course, sealed: str) -> LmsIdsPreview:
    found = unsign(sealed, SALT, ".")
    if found["course"] != course.pk:
        raise Refused("This preview belongs to another course. Choose the file again.")
    return LmsIdsPreview(course, found["source"], tuple(msgspec.convert(found["rows"], list[ImportRow])))
