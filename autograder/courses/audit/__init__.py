"""Writes the audit trail. Entries are written inside the transaction of the action, so that both are stored or neither."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db.models import Model

from autograder.courses.models import Assignment, AuditEntry, Course, Membership, User

AT_ONCE = 500  # entries per statement
_whole: ContextVar[AuditEntry | None] = ContextVar("whole", default=None)


def record(
    action: str,
    subject: object,
    *,
    actor: User | None,
    course: Course | None = None,
    assignment: Assignment | None = None,
    **details: Any,
) -> AuditEntry:
    """Record an action. `actor` is None for automatic actions. Pass `assignment` if the subject does not belong to one itself."""
    if assignment is not None:
        details = {"assignment": assignment.slug, **details}
    return AuditEntry.objects.create(
        actor=actor,
        course=course,
        action=action,
        subject=str(subject)[:200],
        details=details,
        part_of=_whole.get(),
        **_keys(subject, assignment, details),
    )


def record_all(
    action: str,
    about: Iterable[tuple[Membership, Assignment, Mapping[str, Any]]],
    *,
    actor: User | None,
    course: Course,
) -> None:
    """Record the same action for many members, with details for each, in few statements."""
    entries = (
        AuditEntry(
            actor=actor,
            course=course,
            action=action,
            subject=str(member)[:200],
            details={"assignment": assignment.slug, **details},
            part_of=_whole.get(),
            **_keys(member, assignment, dict(details)),
        )
        for member, assignment, details in about
    )
    AuditEntry.objects.bulk_create(entries, batch_size=AT_ONCE)


@contextmanager
def parts_of(entry: AuditEntry) -> Iterator[None]:
    """Make the entries recorded inside the block parts of this entry, such as the rows of a roster."""
    before = _whole.set(entry)
    try:
        yield
    finally:
        _whole.reset(before)


def set_fields(row: Any, wanted: dict[str, Any]) -> dict[str, list[Any]]:
    """Set the fields that differ, and return each with its old and new value for the audit trail."""
    changes = {}
    for name, value in wanted.items():
        before = getattr(row, name)
        if before != value:
            setattr(row, name, value)
            changes[name] = [plain(before), plain(value)]
    return changes


def plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _keys(subject: object, assignment: Assignment | None, details: dict[str, Any]) -> dict[str, int | None]:
    """Return the keys of the entry's subject. Submissions and batches belong to a higher layer, so only their numbers are stored."""
    kind, number = (subject._meta.model_name, subject.pk) if isinstance(subject, Model) else ("", None)
    member = number if isinstance(subject, Membership) else getattr(subject, "membership_id", None)
    task = number if isinstance(subject, Assignment) else getattr(subject, "assignment_id", None)
    return {
        "membership_id": member,
        "assignment_id": assignment.pk if assignment is not None else task,
        "submission_number": number if kind == "submission" else None,
        "batch_number": number if kind == "batch" else details.get("batch"),
    }
