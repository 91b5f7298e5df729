"""What the audit trail says, in words: who did what, and from what to what."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from autograder.courses.models import AuditEntry

WORDS = {
    "override": "set the score",
    "override-undone": "took the set score back",
    "grade-changed": "regraded",
    "score-changed": "regraded a submission",
    "extension-granted": "granted more",
    "extension-changed": "granted something else",
    "extension-withdrawn": "withdrew what was granted",
    "comment-made": "commented",
    "comment-removed": "took a comment back",
    "grading-failed": "could not grade a submission",
    "member-added": "added to the course",
    "member-removed": "removed from the course",
    "member-changed": "changed names or section",
    "role-changed": "changed the role",
    "invitation-accepted": "came by an invitation",
}
LEFT_OUT = ("before", "after", "assignment", "reason", "batch", "comment", "overridden", "changes", "invitation")


@dataclass(frozen=True)
class Told:
    at: datetime
    who: str
    did: str
    where: str
    how: str
    reason: str


def told(entries: Iterable[AuditEntry]) -> list[Told]:
    return [_told(entry) for entry in entries]


def _told(entry: AuditEntry) -> Told:
    details: Mapping[str, Any] = entry.details
    who = "the service" if entry.actor is None else entry.actor.get_full_name() or entry.actor.username
    did = WORDS.get(entry.action, entry.action.replace("-", " "))
    where = details.get("assignment") or (entry.subject if entry.subject.startswith("#") else "")
    return Told(entry.at, who, did, str(where), _how(details), str(details.get("reason") or ""))


def _how(details: Mapping[str, Any]) -> str:
    parts = []
    if "before" in details or "after" in details:
        parts.append(f"{_shown(details.get('before'))} → {_shown(details.get('after'))}")
    for name, change in (details.get("changes") or {}).items():
        parts.append(f"{name.replace('_', ' ')} {_shown(change[0])} → {_shown(change[1])}")
    rest = {name: value for name, value in details.items() if name not in LEFT_OUT and value not in (None, "", 0)}
    return ", ".join(parts + [f"{name.replace('_', ' ')} {value}" for name, value in rest.items()])


def _shown(value: object) -> str:
    return "none" if value is None or value == "" else str(value)
