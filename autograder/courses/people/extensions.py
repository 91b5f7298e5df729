"""Extensions: grants and withdraws them, and combines them with an assignment's own dates and attempts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from autograder.courses import audit, rights
from autograder.courses.errors import Refused
from autograder.courses.models import Assignment, Extension, Membership
from autograder.courses.rights import Right
from autograder.courses.validation import validate_dates


@dataclass(frozen=True)
class StudentTerms:
    """The dates and attempts of an assignment for one student."""

    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    attempts: int | None  # None: no limit


def extension_grant(
    *,
    assignment: Assignment,
    membership: Membership,
    by: Membership,
    reason: str,
    due_at: datetime | None = None,
    closes_at: datetime | None = None,
    extra_attempts: int = 0,
) -> Extension:
    """Grant an extension, replacing an earlier one."""
    rights.require(by, Right.EXTEND, membership)
    if membership.course_id != assignment.course_id:
        raise Refused(f"{membership.user} is not a member of the course of {assignment.title}.")
    if not reason.strip():
        raise Refused("Give a reason for the extension. It is shown in the history.")
    if due_at is None and closes_at is None and extra_attempts == 0:
        raise Refused("An extension must grant a later date or extra submissions.")
    if assignment.graded_outside and (closes_at is not None or extra_attempts):
        raise Refused(f"{assignment.title} is graded outside Gradus and takes no submissions. Grant a later due date only.")
    if extra_attempts < 0:
        raise Refused("An extension cannot reduce the number of submissions.")
    validate_dates(("due", due_at), ("closes", closes_at))
    with transaction.atomic():
        granted, new = Extension.objects.update_or_create(
            assignment=assignment,
            membership=membership,
            defaults={
                "due_at": due_at,
                "closes_at": closes_at,
                "extra_attempts": extra_attempts,
                "reason": reason.strip(),
                "granted_by": by.user,
            },
        )
        audit.record(
            "extension-granted" if new else "extension-changed",
            membership,
            actor=by.user,
            course=assignment.course,
            assignment=assignment,
            reason=reason.strip(),
            **_details(granted),
        )
    return granted


def extension_withdraw(*, assignment: Assignment, membership: Membership, by: Membership, reason: str) -> None:
    """Withdraw an extension. Submissions are kept; the assignment's own dates decide again whether they are late."""
    rights.require(by, Right.EXTEND, membership)
    if not reason.strip():
        raise Refused("Give a reason for withdrawing the extension. It is shown in the history.")
    with transaction.atomic():
        found = Extension.objects.select_for_update().filter(assignment=assignment, membership=membership).first()
        if found is None:
            raise Refused(f"{membership.user} has no extension for {assignment.title}.")
        details = _details(found)
        found.delete()
        audit.record(
            "extension-withdrawn",
            membership,
            actor=by.user,
            course=assignment.course,
            assignment=assignment,
            reason=reason.strip(),
            **details,
        )


def extensions_grant(
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
        raise Refused("No students are selected. Select students or choose a section.")
    for membership in memberships:
        rights.require(by, Right.EXTEND, membership)
    validate_dates(("due", due_at), ("closes", closes_at))
    with transaction.atomic():
        before = Extension.objects.filter(assignment=assignment, membership__in=memberships)
        earlier = {extension.membership_id: extension for extension in before.select_for_update()}
        granted = []
        for membership in memberships:
            own = earlier.get(membership.pk)
            due = _latest(due_at, own.due_at if own else None)
            closes = _latest(closes_at, own.closes_at if own else None)
            granted.append(
                extension_grant(
                    assignment=assignment,
                    membership=membership,
                    by=by,
                    reason=reason,
                    due_at=due,
                    closes_at=closes and _latest(closes, due),
                    extra_attempts=max(extra_attempts, own.extra_attempts if own else 0),
                )
            )
    return granted


def terms_of(assignment: Assignment, membership: Membership) -> StudentTerms:
    return terms_of_all(assignment, [membership])[membership.pk]


def terms_of_all(assignment: Assignment, memberships: Sequence[Membership]) -> dict[int, StudentTerms]:
    """Return the terms of many students by membership, in one query."""
    extensions = {e.membership_id: e for e in Extension.objects.filter(assignment=assignment, membership__in=memberships)}
    return {membership.pk: _terms(assignment, extensions.get(membership.pk)) for membership in memberships}


def terms_where_extended(
    assignments: Sequence[Assignment], memberships: Sequence[int]
) -> dict[tuple[int, int], StudentTerms]:
    """Return the terms by membership and assignment where there is an extension, in one query. All others have the
    assignment's own dates."""
    known = {assignment.pk: assignment for assignment in assignments}
    extensions = Extension.objects.filter(assignment__in=assignments, membership__in=memberships)
    return {
        (extension.membership_id, extension.assignment_id): _terms(known[extension.assignment_id], extension)
        for extension in extensions
    }


def terms_of_student(membership: Membership, assignments: Sequence[Assignment]) -> dict[int, StudentTerms]:
    """Return the terms of one student by assignment, in one query."""
    extensions = {e.assignment_id: e for e in Extension.objects.filter(membership=membership, assignment__in=assignments)}
    return {assignment.pk: _terms(assignment, extensions.get(assignment.pk)) for assignment in assignments}


def _terms(assignment: Assignment, extension: Extension | None) -> StudentTerms:
    """Combine an assignment with an extension, which can only add: the later date counts, and extra attempts are added."""
    attempts = assignment.attempt_limit
    if extension is None:
        return StudentTerms(assignment.opens_at, assignment.due_at, assignment.closes_at, attempts)
    return StudentTerms(
        assignment.opens_at,
        _later(assignment.due_at, extension.due_at),
        _later(assignment.closes_at, extension.closes_at or extension.due_at),
        None if attempts is None else attempts + extension.extra_attempts,
    )


def last_due_of(assignment: Assignment) -> datetime | None:
    """Return the due date of the last student, extensions included."""
    granted = Extension.objects.filter(assignment=assignment, due_at__isnull=False).order_by("-due_at").first()
    return assignment.due_at if granted is None else _later(assignment.due_at, granted.due_at)


def _details(extension: Extension) -> dict[str, Any]:
    return {name: audit.plain(getattr(extension, name)) for name in ("due_at", "closes_at", "extra_attempts")}


def _latest(first: datetime | None, second: datetime | None) -> datetime | None:
    return max((moment for moment in (first, second) if moment is not None), default=None)


def _later(own: datetime | None, granted: datetime | None) -> datetime | None:
    if own is None or granted is None:
        return own
    return max(own, granted)
