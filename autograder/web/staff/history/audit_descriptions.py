"""Describes audit entries in words: who changed what, from which value to which."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from django.db.models import QuerySet
from django.utils.dateparse import parse_datetime, parse_duration

from autograder.courses.audit.actions import ACTIONS
from autograder.courses.models import (
    AuditEntry,
    CarriedFiles,
    Course,
    HiddenMeanwhile,
    Membership,
    Role,
    ShowHidden,
    ShowSolutions,
)
from autograder.submissions.handing_in.numbering import numbers_of
from autograder.web import numbers, timestamps

SHOWN = 50
MAX_LENGTH = 200
# labels of fields that differ from the field name with spaces
FIELDS = {
    "opens_at": "opens",
    "due_at": "due",
    "closes_at": "closes",
    "late_share": "credit for late submissions",
    "late_per_day": "deduction for each day",
    "late_floor": "minimum credit for late submissions",
    "late_grace": "grace period",
    "late_days_limit": "late days allowed",
    "late_days": "late days for each student",
    "attempt_limit": "submissions",
    "cool_down": "minimum time between submissions",
    "extra_attempts": "extra submissions",
    "is_open": "people can create an account",
    "lms_id": "LMS ID",
    "sis_id": "SIS ID",
    "batch": "regrade",
    "request": "regrade request",
    "supersedes": "newer submissions replace waiting ones",
    "hidden_meanwhile": "what students see until then",
    "show_hidden": "results of hidden checks",
    "show_solutions": "solutions",
    "carried_files": "files from earlier exercises",
    "expires_at": "valid until",
    "email": "email address",
    "kept_by": "kept by the account",
    "criteria": "for each criterion",
    "marks_withdrawn": "marks that no longer count",
    "taken_over_from": "copied from submission",
}
PERCENT = ("late_share", "late_per_day", "late_floor")
CHOICES = {
    "show_hidden": dict(ShowHidden.choices),
    "hidden_meanwhile": dict(HiddenMeanwhile.choices),
    "show_solutions": dict(ShowSolutions.choices),
    "carried_files": dict(CarriedFiles.choices),
    "role": dict(Role.choices),
}
UNSAID = ("title", "assignment")  # already part of the line
# fields shown for a new assignment; the others have defaults or get an entry of their own
OF_A_NEW_ONE = ("unit", "points", "opens_at", "due_at", "closes_at")


@dataclass(frozen=True)
class AuditLine:
    number: int
    at: datetime
    who: str
    did: str
    subject: str
    details: tuple[str, ...]
    parts: int = 0  # number of entries that belong to this one


def trail_of(course: Course) -> list[AuditLine]:
    """Return the latest entries of a course, newest first."""
    return audit_lines(_with_subjects(AuditEntry.objects.filter(course=course, part_of=None))[:SHOWN])


def trail_about(membership: Membership, at_most: int) -> list[AuditLine]:
    """Return the latest entries about this person and their submissions, newest first."""
    return audit_lines(_with_subjects(AuditEntry.objects.filter(membership=membership))[:at_most])


def _with_subjects(entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
    return entries.select_related("actor", "membership__user", "assignment", "course")


def audit_lines(entries: Iterable[AuditEntry], parts: Mapping[int, int] | None = None) -> list[AuditLine]:
    entries = list(entries)
    numbered = numbers_of([entry.submission_number for entry in entries if entry.submission_number is not None])
    return [_line(entry, (parts or {}).get(entry.pk, 0), numbered) for entry in entries]


def _line(entry: AuditEntry, parts: int, numbered: Mapping[int, int]) -> AuditLine:
    who = "an operator" if entry.actor is None else entry.actor.display_name
    did = ACTIONS[entry.action].words if entry.action in ACTIONS else entry.action.replace("-", " ")
    stored = entry.details
    if entry.action == "assignment-created":
        stored = {name: value for name, value in stored.items() if name in OF_A_NEW_ONE}
    details = tuple(_short(detail) for detail in _details(stored))
    return AuditLine(entry.pk, entry.at, who, did, _subject(entry, numbered), details, parts)


def _subject(entry: AuditEntry, numbered: Mapping[int, int]) -> str:
    """What the entry is about, by current names. Objects without a foreign key are shown under the stored name."""
    words = []
    if entry.batch_number is not None and entry.membership_id is None:
        words.append(f"regrade {entry.batch_number}")
    if entry.membership is not None:
        words.append(entry.membership.user.display_name)
    if entry.submission_number is not None:
        number = numbered.get(entry.submission_number)
        words.append(f"submission {number}" if number else "a submission")
    if entry.assignment is not None:
        words.append(entry.assignment.title)
    if not words and entry.course is not None and entry.subject == entry.course.slug:
        return ""  # the reader is already in the course
    return ", ".join(words) or entry.subject


def _details(details: Mapping[str, Any]) -> Iterator[str]:
    for name, value in details.items():
        if name == "changes" and isinstance(value, dict):
            for field, (before, after) in value.items():
                yield f"{_called(field)}: {_said(field, before)} → {_said(field, after)}"
        elif value not in (None, "", [], 0) and name not in UNSAID:
            yield f"{_called(name)}: {_said(name, value)}"


def _called(name: str) -> str:
    return FIELDS.get(name, name.replace("_", " "))


def _said(name: str, value: Any) -> str:
    """Format a value for people: dates, durations, percentages, and choices by their label."""
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    if not isinstance(value, str):
        return _number(name, str(value)) or str(value)
    if name in CHOICES:
        return str(CHOICES[name].get(value, value))
    return _number(name, value) or _time(value) or value


def _number(name: str, value: str) -> str:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return ""
    return f"{numbers.points(number * 100)}%" if name in PERCENT else numbers.points(number)


def _time(value: str) -> str:
    if ":" not in value:
        return ""
    try:
        at, length = parse_datetime(value), parse_duration(value)
    except ValueError:
        return ""
    if at is not None and at.tzinfo is not None:
        return timestamps.date_and_time(at)
    return "none" if length == timedelta(0) else timestamps.span(length) if length is not None else ""


def _short(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"
