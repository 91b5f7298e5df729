"""Extends the time or attempts of many students in one assignment, for all of them or for none."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from autograder.courses import rights, validation
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Extension, Membership
from autograder.courses.rights import Right
from autograder.courses.services import extension_grant


def extend_many(
    *,
    assignment: Assignment,
    memberships: Sequence[Membership],
    by: Membership,
    reason: str,
    due_at: datetime | None = None,
    closes_at: datetime | None = None,
    extra_attempts: int = 0,
) -> list[Extension]:
    """Grant an extension to each student. Existing larger extensions are kept."""
    if not memberships:
        raise Refused("No students selected. Select students, or choose a section.")
    for membership in memberships:
        rights.require(by, Right.EXTEND, membership)
    validation.order(("due", due_at), ("closes", closes_at))
    with transaction.atomic():
        before = Extension.objects.filter(assignment=assignment, membership__in=memberships)
        had = {one.membership_id: one for one in before.select_for_update()}
        granted = []
        for membership in memberships:
            own = had.get(membership.pk)
            due, closes = (
                _later(due_at, own.due_at if own else None),
                _later(closes_at, own.closes_at if own else None),
            )
            granted.append(
                extension_grant(
                    assignment=assignment,
                    membership=membership,
                    by=by,
                    reason=reason,
                    due_at=due,
                    closes_at=closes and _later(closes, due),
                    extra_attempts=max(extra_attempts, own.extra_attempts if own else 0),
                )
            )
    return granted


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((moment for moment in (one, other) if moment is not None), default=None)
