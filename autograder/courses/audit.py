"""Writes down who did what. Called inside the transaction that does it: both happen, or neither."""

from typing import Any

from autograder.courses.models import AuditEntry, Course, User


def record(action: str, subject: object, *, actor: User | None, course: Course | None = None, **details: Any) -> AuditEntry:
    """`actor` is None for what the service does by itself."""
    return AuditEntry.objects.create(actor=actor, course=course, action=action, subject=str(subject)[:200], details=details)
