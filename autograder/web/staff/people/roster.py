"""Imports a roster from a file: a preview of every row, then all of it or nothing.

The server stores nothing in between: the page carries the parsed rows, compressed, signed and bound to user, course and
an hour. Concurrent imports do not interfere, and an abandoned upload leaves nothing behind.
"""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import Refused
from autograder.courses.importers.roster import Fate, Roster, Row, again, apply, read_file
from autograder.courses.importers.roster_columns import COLUMNS
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.courses.tables import csv_reader
from autograder.web.access import SignedIn
from autograder.web.staff.access import staff_only, surroundings
from autograder.web.staff.forms import ACCEPTED_TABLES

SALT = "gradus.roster"
GOOD_FOR = 3600  # seconds for which a preview is valid
LARGEST = 900_000  # characters in a form field; forms may have up to 1 MiB
WORDS = {Fate.BAD: "cannot be imported", Fate.NEW: "new", Fate.CHANGED: "changed", Fate.KNOWN: "as it is"}


class RosterForm(forms.Form):
    file = forms.FileField(label="File", widget=forms.FileInput(attrs={"accept": ACCEPTED_TABLES}))


@dataclass(frozen=True)
class RosterPreview:
    """What would happen, with the signed rows to send back."""

    roster: Roster
    kept: str

    @property
    def groups(self) -> list[tuple[str, str, list[Row]]]:
        """The rows by status, those with problems first."""
        by_fate = [
            (str(fate), words, [row for row in self.roster.rows if row.fate == fate]) for fate, words in WORDS.items()
        ]
        return [group for group in by_fate if group[2]]

    @property
    def good(self) -> int:
        return self.roster.counts[Fate.NEW] + self.roster.counts[Fate.CHANGED]


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
    context = surroundings(staff, "people") | {"form": form, "preview": preview, "columns": COLUMNS}
    return render(request, "web/staff/people/roster.html", context)


def _preview(file: "UploadedFile[Any]", staff: Membership) -> RosterPreview:
    """Read the file. Files that are too large are rejected by size, without being read."""
    if (file.size or 0) > csv_reader.MOST_BYTES:
        raise Refused(f"The roster has more than {csv_reader.MOST_BYTES // 1_000_000} MB, so it cannot be a list of people.")
    read = read_file(file.read(), staff.course)
    kept = signing.dumps(
        {
            "rows": [(row.line, dict(row.said), "" if row.said else row.words) for row in read.rows],
            "ignored": read.ignored,
            "source": read.source,
        },
        salt=_salt(staff),
        compress=True,
    )
    if len(kept) > LARGEST:
        raise Refused("The file is too large to preview. Split it and import the parts one after the other.")
    return RosterPreview(read, kept)


def _import(request: SignedIn, staff: Membership) -> HttpResponse:
    try:
        kept = signing.loads(request.POST.get("kept", ""), salt=_salt(staff), max_age=GOOD_FOR)
    except signing.BadSignature:
        raise Refused(
            "This preview has expired, or belongs to another person or course. Nothing was imported. Choose the file again."
        ) from None
    read = again(
        staff.course,
        [(line, said, words) for line, said, words in kept["rows"]],
        tuple(kept["ignored"]),
        kept["source"],
        by_email=request.POST.get("by_email") == "yes",
    )
    done = apply(read, by=staff, only_good=request.POST.get("only_good") == "yes")
    new, changed, bad = (done.counts[fate] for fate in (Fate.NEW, Fate.CHANGED, Fate.BAD))
    left = f", {bad} left out" if bad else ""
    messages.success(request, f"The roster was imported: {new} new, {changed} changed{left}.")
    return redirect("people", staff.course.slug)


def _salt(staff: Membership) -> str:
    """Bind a preview to the course and the user it was created for."""
    return f"{SALT}:{staff.course_id}:{staff.user_id}"
