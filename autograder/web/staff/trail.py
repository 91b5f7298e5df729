"""The audit trail as people read it: who changed what, from what to what."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from autograder.courses.models import AuditEntry, Course

SHOWN = 50
WORDS = {
    "course-created": "made the course",
    "course-copied": "copied the course",
    "course-changed": "changed the course",
    "course-archived": "archived the course",
    "course-back": "brought the course back",
    "section-created": "made a section",
    "member-added": "added",
    "member-back": "brought back",
    "member-changed": "changed",
    "member-removed": "removed",
    "role-changed": "changed the role of",
    "roster-imported": "imported a roster",
    "ids-imported": "imported ids",
    "invitation-made": "made an invitation",
    "invitation-accepted": "accepted an invitation",
    "invitation-revoked": "revoked an invitation",
    "assignment-created": "assigned",
    "assignment-changed": "changed",
    "assignment-removed": "removed",
    "assignment-back": "brought back",
    "extension-granted": "granted an extension to",
    "extension-changed": "changed the extension of",
    "extension-withdrawn": "withdrew the extension of",
    "override": "set a score of",
    "override-undone": "took back a set score of",
    "rules-set": "set the rules of units",
    "gradebook-frozen": "froze the gradebook",
    "gradebook-unfrozen": "opened the gradebook again",
    "first-passwords": "gave first passwords in",
    "grades-exported": "exported grades",
    "grade-changed": "regraded",
    "score-changed": "regraded",
    "comment-made": "commented on",
    "comment-removed": "took back a comment on",
    "grading-failed": "could not grade",
}
LONGEST = 200


@dataclass(frozen=True)
class Line:
    at: datetime
    who: str
    did: str
    subject: str
    details: tuple[str, ...]


def trail_of(course: Course) -> list[Line]:
    """The newest first."""
    return lines_of(AuditEntry.objects.filter(course=course).select_related("actor")[:SHOWN])


def lines_of(entries: Iterable[AuditEntry]) -> list[Line]:
    return [_line(entry) for entry in entries]


def _line(entry: AuditEntry) -> Line:
    who = "an operator" if entry.actor is None else entry.actor.get_full_name() or entry.actor.username
    did = WORDS.get(entry.action, entry.action.replace("-", " "))
    return Line(entry.at, who, did, entry.subject, tuple(_short(detail) for detail in _details(entry.details)))


def _details(details: Mapping[str, Any]) -> Iterator[str]:
    for name, value in details.items():
        if name == "changes" and isinstance(value, dict):
            for field, (before, after) in value.items():
                yield f"{_called(field)}: {_said(before)} → {_said(after)}"
        elif value not in (None, "", []):
            yield f"{_called(name)}: {_said(value)}"


def _called(name: str) -> str:
    return name.replace("_", " ")


def _said(value: Any) -> str:
    return {None: "none", "": "none", True: "yes", False: "no"}.get(value, str(value)) if _plain(value) else str(value)


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | str)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
