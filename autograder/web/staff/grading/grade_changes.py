"""The changes of one student's grades, from the audit trail."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from autograder.courses.audit.actions import ACTIONS
from autograder.courses.models import AuditEntry, Membership
from autograder.web import numbers, timestamps

IN_GRADE_HISTORY = [name for name, action in ACTIONS.items() if action.grade_history]
CHANGING_GRADES = [name for name, action in ACTIONS.items() if action.changes_grades]
SHOWN = 100


@dataclass(frozen=True)
class GradebookChange:
    at: datetime
    who: str
    deed: str
    title: str  # of the assignment
    what: str
    reason: str


def changes_of(membership: Membership) -> list[GradebookChange]:
    """Return the changes, latest first."""
    entries = AuditEntry.objects.filter(membership=membership, action__in=IN_GRADE_HISTORY).select_related(
        "actor", "assignment"
    )
    return [_change(entry) for entry in entries[:SHOWN]]


def last_change_in(course_id: int) -> datetime | None:
    found = AuditEntry.objects.filter(course_id=course_id, action__in=CHANGING_GRADES).values_list("at", flat=True)
    return found.first()


def _change(entry: AuditEntry) -> GradebookChange:
    details: Mapping[str, Any] = entry.details
    who = "an operator" if entry.actor is None else entry.actor.display_name
    title = entry.assignment.title if entry.assignment else str(details.get("assignment", ""))
    if "before" in details or "after" in details:
        what = f"{_points(details.get('before'))} → {_points(details.get('after'))} points"
        if details.get("overridden"):
            what = f"computed points {what.removesuffix(' points')}; the score set by hand is kept"
    else:
        what = ", ".join(_granted(details))
    deed = "regrade undone" if details.get("taken_back") else ACTIONS[entry.action].grade_history
    return GradebookChange(entry.at, who, deed, title, what, str(details.get("reason") or details.get("remark") or ""))


def _points(value: object) -> str:
    return "none" if value is None else str(value).removesuffix(".00")


def _granted(details: Mapping[str, Any]) -> list[str]:
    words = []
    for name, called in (("due_at", "due"), ("closes_at", "closes")):
        at = parse_datetime(str(details.get(name) or ""))
        words += [f"{called} {timestamps.date_and_time(at)}"] if at else []
    more = details.get("extra_attempts")
    return [*words, numbers.quantity(more, "more submission")] if more else words
