"""Refreshes the members of a course from the LMS: a preview of every person, then exactly what was shown.

The server stores nothing in between: the page carries the rows, signed and bound to user, course and an hour.
"""

from dataclasses import dataclass
from typing import Any

import msgspec
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from autograder.courses.errors import Refused
from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.lti.roster import RosterPreview, RosterRow, RowKind, contexts_of, roster_preview
from autograder.lti.roster_refresh import Refreshed, roster_apply
from autograder.web.access import SignedIn
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.signed_previews import salt_for, sign, unsign

SALT = "gradus.lms-roster"
APPLIED = {
    RowKind.NEW: "Add new people",
    RowKind.CHANGED: "Change roles, sections and names",
    RowKind.LOWERED: "Take rights away where the role in the LMS is lower",
    RowKind.LEFT: "Remove people who left the course in the LMS; their work is kept",
}
CAPTIONS = {
    RowKind.NEW: "new",
    RowKind.CHANGED: "changed",
    RowKind.LOWERED: "with fewer rights",
    RowKind.LEFT: "no longer in the LMS",
    RowKind.BAD: "cannot be added",
}


@dataclass(frozen=True)
class SignedPreview:
    """What a refresh would do, with the signed rows to send back."""

    preview: RosterPreview
    kept: str

    @property
    def groups(self) -> list[tuple[str, list[RosterRow]]]:
        groups = [(caption, self.preview.of_kind(kind)) for kind, caption in CAPTIONS.items()]
        return [(caption, rows) for caption, rows in groups if rows]

    @property
    def ticks(self) -> list[tuple[RowKind, str, int]]:
        counted = [(kind, words, len(self.preview.of_kind(kind))) for kind, words in APPLIED.items()]
        return [(kind, words, count) for kind, words, count in counted if count]


@never_cache
@staff_only(Right.PEOPLE)
@require_http_methods(["GET", "HEAD", "POST"])
def lms_roster(request: SignedIn, staff: Membership) -> HttpResponse:
    act = request.POST.get("act", "")
    if act == "apply":
        return _apply(request, staff)
    preview = _preview(staff) if act == "read" else None
    context = page_context(staff, "people") | {"contexts": contexts_of(staff.course), "preview": preview}
    return render(request, "web/staff/people/lms_roster.html", context)


def _preview(staff: Membership) -> SignedPreview:
    preview = roster_preview(course=staff.course, by=staff)
    rows = [msgspec.to_builtins(row) for row in preview.rows if row.kind != RowKind.BAD]
    return SignedPreview(preview, sign(rows, salt_for(SALT, staff)))


def _apply(request: SignedIn, staff: Membership) -> HttpResponse:
    words = ", or belongs to another person or course. Nothing was changed."
    found = unsign(request.POST.get("kept", ""), salt_for(SALT, staff), words, again="Read the list again.")
    rows = msgspec.convert(found, list[RosterRow])
    kinds = {kind for kind in APPLIED if kind in request.POST.getlist("kind")}
    if not kinds:
        raise Refused("Nothing was selected, so nothing was changed.")
    done = roster_apply(course=staff.course, rows=rows, kinds=kinds, by=staff)
    messages.success(request, _done_message(done))
    return redirect("people", staff.course.slug)


def _done_message(done: Refreshed) -> str:
    skipped: Any = f" {done.skipped} left as they are, because something changed meanwhile." if done.skipped else ""
    return f"From the LMS: {done.added} added, {done.changed} changed, {done.removed} removed.{skipped}"
