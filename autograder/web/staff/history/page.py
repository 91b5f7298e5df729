"""The history of a course, with search and filters, in pages or as a CSV file."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from autograder.courses.audit.actions import HistoryFilter, actions_of
from autograder.courses.models import AuditEntry, Course, Membership
from autograder.courses.rights import Right
from autograder.courses.tables.formulas import guarded
from autograder.gradebook.exports.base import csv_bytes
from autograder.web.access import SignedIn, number_in
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.forms import DayField
from autograder.web.staff.history.audit_descriptions import AuditLine, audit_lines

A_PAGE = 50
MOST_LINES = 50_000  # limit for the CSV file


class HistoryForm(forms.Form):
    """Filters of the history. All fields are optional."""

    q = forms.CharField(max_length=200, required=False, label="Search", help_text="A name, a reason or a value.")
    person = forms.CharField(
        max_length=200, required=False, label="Person", help_text="The person who made the change or whom it concerns."
    )
    exercise = forms.ChoiceField(required=False, label="Exercise")
    kind = forms.ChoiceField(required=False, label="Kind", choices=[("", "all"), *HistoryFilter.choices])
    since = DayField(label="From")
    until = DayField(label="To")

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        exercises = [(str(pk), title) for pk, title in course.assignments.values_list("pk", "title")]
        self.fields["exercise"].choices = [("", "all"), *exercises]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        since, until = found.get("since"), found.get("until")
        if since and until and until < since:
            self.add_error("until", "This date is before the start date.")
        return found


@staff_only(Right.SET_UP)
@require_safe
def history(request: SignedIn, staff: Membership) -> HttpResponse:
    form = HistoryForm(staff.course, request.GET)
    entries = _entries(staff.course, form.cleaned_data if form.is_valid() else {})
    opened = _opened(staff.course, request.GET.get("open", ""))
    if opened is not None:
        entries = AuditEntry.objects.filter(part_of=opened).order_by("id")
    entries = entries.select_related("actor", "membership__user", "assignment", "course")
    if "download" in request.GET and form.is_valid():
        return _file(staff.course, entries)
    page = Paginator(entries, A_PAGE).get_page(request.GET.get("page"))
    context = page_context(staff, "settings") | {
        "form": form,
        "page": page,
        "lines": _lines(list(page.object_list)),
        "opened": audit_lines([opened])[0] if opened else None,
        "filtered": any(request.GET.get(name) for name in form.fields),
    }
    return render(request, "web/staff/history/history.html", context)


def _entries(course: Course, filters: dict[str, Any]) -> QuerySet[AuditEntry]:
    """Filter the entries. Entries that are part of another one are only listed in search results."""
    entries = AuditEntry.objects.filter(course=course).order_by("-id")
    if filters.get("q"):
        entries = entries.annotate(text=Cast("details", TextField()))
        for word in filters["q"].split():
            names = Q(subject__icontains=word) | Q(text__icontains=word) | Q(assignment__title__icontains=word)
            entries = entries.filter(names | _named("actor", word) | _named("membership__user", word))
    for word in filters.get("person", "").split():
        entries = entries.filter(_named("actor", word) | _named("membership__user", word))
    if filters.get("exercise"):
        entries = entries.filter(assignment=filters["exercise"])
    if filters.get("kind"):
        entries = entries.filter(action__in=actions_of(filters["kind"]))
    if filters.get("since"):
        entries = entries.filter(at__gte=_begin(course, filters["since"]))
    if filters.get("until"):
        entries = entries.filter(at__lt=_begin(course, filters["until"] + timedelta(days=1)))
    return entries if filters.get("q") or filters.get("person") else entries.filter(part_of=None)


def _named(user: str, word: str) -> Q:
    return Q(*((f"{user}__{name}__icontains", word) for name in ("first_name", "last_name", "username")), _connector=Q.OR)


def _begin(course: Course, day: date) -> datetime:
    return datetime.combine(day, time.min, ZoneInfo(course.time_zone))


def _opened(course: Course, number: str) -> AuditEntry | None:
    if not number:
        return None
    key = number_in(number)
    found: AuditEntry | None = AuditEntry.objects.filter(course=course, pk=key).first() if key else None
    if found is None:
        raise Http404("no such entry")
    return found


def _lines(entries: list[AuditEntry]) -> list[AuditLine]:
    parts = AuditEntry.objects.filter(part_of__in=entries).values_list("part_of").annotate(Count("id")).order_by()
    return audit_lines(entries, dict(parts))


def _file(course: Course, entries: QuerySet[AuditEntry]) -> HttpResponse:
    data = csv_bytes([("When", "Who", "What", "About", "Details"), *_rows(entries)], mark=True)
    response = HttpResponse(data, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{course.slug}-history.csv"'
    response["Cache-Control"] = "no-store"
    return response


def _rows(entries: QuerySet[AuditEntry]) -> Iterator[list[str]]:
    for line in audit_lines(entries[:MOST_LINES]):
        cells = (line.who, line.did, line.subject, "; ".join(line.details))
        yield [f"{timezone.localtime(line.at):%Y-%m-%d %H:%M:%S %z}", *(guarded(cell) for cell in cells)]
