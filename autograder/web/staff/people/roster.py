"""Imports a roster from a file: a preview of every row, then all of it or nothing.

The server stores nothing in between: the page carries the parsed rows, compressed, signed and bound to user, course and
an hour. Concurrent imports do not interfere, and an abandoned upload leaves nothing behind.
"""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import Refused
from autograder.courses.importers.list_formats import COLUMNS
from autograder.courses.importers.roster import RosterPreview, roster_import, roster_preview, with_owners_of_emails
from autograder.courses.importers.roster_matching import match_rows
from autograder.courses.importers.rows import ImportRow, RowStatus
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.courses.tables import csv_reader
from autograder.web.access import SignedIn
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.forms import ACCEPTED_TABLES
from autograder.web.staff.signed_previews import salt_for, sign, unsign

SALT = "gradus.roster"
STATUS_LABELS = {
    RowStatus.BAD: "cannot be imported",
    RowStatus.NEW: "new",
    RowStatus.CHANGED: "changed",
    RowStatus.UNCHANGED: "unchanged",
}


class RosterForm(forms.Form):
    file = forms.FileField(label="File", widget=forms.FileInput(attrs={"accept": ACCEPTED_TABLES}))


@dataclass(frozen=True)
class SignedPreview:
    """What would happen, with the signed rows to send back."""

    roster: RosterPreview
    kept: str

    @property
    def groups(self) -> list[tuple[str, list[ImportRow]]]:
        """The rows by status, those with problems first."""
        groups = [
            (label, [row for row in self.roster.rows if row.status == status]) for status, label in STATUS_LABELS.items()
        ]
        return [(label, rows) for label, rows in groups if rows]

    @property
    def good(self) -> int:
        return self.roster.counts[RowStatus.NEW] + self.roster.counts[RowStatus.CHANGED]


@staff_only(Right.PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def roster(request: SignedIn, staff: Membership) -> HttpResponse:
    if request.POST.get("act") == "import":
        return _import(request, staff)
    form = RosterForm(request.POST or None, request.FILES or None)
    preview = None
    if request.method == "POST" and form.is_valid():
        try:
            preview = _preview(form.cleaned_data["file"], staff)
        except Refused as refused:
            form.add_error("file", refused.message)
    context = page_context(staff, "people") | {"form": form, "preview": preview, "columns": COLUMNS}
    return render(request, "web/staff/people/roster.html", context)


def _preview(file: "UploadedFile[Any]", staff: Membership) -> SignedPreview:
    """Read the file. Files that are too large are rejected by size, without being read."""
    if (file.size or 0) > csv_reader.MAX_BYTES:
        raise Refused(csv_reader.too_large("The roster"))
    read = roster_preview(file.read(), staff.course)
    kept = sign(
        {
            "rows": [(row.line, dict(row.values), "" if row.values else row.message) for row in read.rows],
            "ignored": read.ignored,
            "source": read.source,
        },
        salt_for(SALT, staff),
    )
    return SignedPreview(read, kept)


def _import(request: SignedIn, staff: Membership) -> HttpResponse:
    words = ", or belongs to another person or course. Nothing was imported."
    kept = unsign(request.POST.get("kept", ""), salt_for(SALT, staff), words)
    rows = tuple(
        ImportRow(line, values, RowStatus.BAD if message else RowStatus.UNCHANGED, message)
        for line, values, message in kept["rows"]
    )
    preview = RosterPreview(staff.course, match_rows(rows, staff.course), tuple(kept["ignored"]), kept["source"])
    if request.POST.get("by_email") == "yes":
        preview = with_owners_of_emails(preview)
    done = roster_import(preview=preview, by=staff, only_good=request.POST.get("only_good") == "yes")
    new, changed, bad = (done.counts[status] for status in (RowStatus.NEW, RowStatus.CHANGED, RowStatus.BAD))
    left = f", {bad} left out" if bad else ""
    messages.success(request, f"The roster was imported: {new} new, {changed} changed{left}.")
    return redirect("people", staff.course.slug)
