"""Invitation links, with which people join a course. A link is shown only once, when it is created. `joining` handles its use."""

import hashlib
import re
import secrets
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.accounts.selectors import owners_of
from autograder.courses.accounts.validation import validate_email_address
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import AuditEntry, Course, Invitation, Membership, Role, Section
from autograder.courses.rights import Acting, Right
from autograder.courses.validation import validate_role, validate_section

MAX_VALIDITY = timedelta(days=180)
MAX_OPEN_USES = 1_000  # accounts that one open link may create
MAX_DOMAINS = 500  # characters
DOMAIN = re.compile(r"(?=.{4,253}\Z)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")


class InvitationEnd(StrEnum):
    """Why an invitation is no longer valid."""

    REVOKED = "revoked"
    ARCHIVED = "course archived"
    USED_UP = "used up"
    EXPIRED = "expired"


@dataclass(frozen=True)
class CreatedInvitation:
    """An invitation and the secret token of its link, which cannot be recovered later."""

    invitation: Invitation
    token: str


def invitation_create(
    *,
    course: Course,
    by: Membership,
    role: str = Role.STUDENT,
    section: Section | None = None,
    days: int = 14,
    uses: int | None = None,
    email: str = "",
    domains: str = "",
    is_open: bool = False,
) -> CreatedInvitation:
    """Create an invitation. `email` restricts it to one person, and `domains` to email addresses of these domains.

    With `is_open`, people without an account may create one.
    """
    rights.require(by, Right.PEOPLE, course)
    validate_role(role)
    validate_section(section, course)
    if role not in (Role.STUDENT, Role.ASSISTANT):
        raise Refused("A link invites students or assistants. Instructors and owners are added by name.")
    if not 1 <= days <= MAX_VALIDITY.days:
        raise Refused(f"A link can be valid for 1 to {MAX_VALIDITY.days} days.")
    if uses is not None and uses < 1:
        raise Refused("A link can be used at least once.")
    if course.archived_at is not None:
        raise Refused(f"{course.title} is archived. Restore it before inviting people.")
    email, domains = email.strip(), _domains(domains)
    if email:
        _refuse_person(email, domains, course)
        uses = 1
    if is_open:
        _refuse_open(role, uses)
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        invitation = Invitation.objects.create(
            course=course,
            role=role,
            section=section,
            token_hash=hash_of(token),
            created_by=by.user,
            expires_at=timezone.now() + timedelta(days=days),
            uses_left=uses,
            email=email,
            domains=domains,
            is_open=is_open,
        )
        limits: dict[str, Any] = {
            "role": str(role),
            "days": days,
            "uses": uses,
            "email": email,
            "domains": domains,
            "is_open": is_open,
        }
        audit.record("invitation-made", invitation, actor=by.user, course=course, **limits)
    return CreatedInvitation(invitation, token)


def invitation_revoke(*, invitation: Invitation, by: Acting) -> None:
    rights.require(by, Right.PEOPLE, invitation.course)
    with transaction.atomic():
        revoked = Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now())
        if revoked:
            audit.record("invitation-revoked", invitation, actor=by.user, course=invitation.course)


def invitation_end(invitation: Invitation) -> InvitationEnd | None:
    """Return why the invitation is no longer valid, or None if it is."""
    if invitation.revoked_at is not None:
        return InvitationEnd.REVOKED
    if invitation.course.archived_at is not None:
        return InvitationEnd.ARCHIVED
    if invitation.uses_left == 0:
        return InvitationEnd.USED_UP
    return InvitationEnd.EXPIRED if invitation.expires_at <= timezone.now() else None


def uses_by_invitation(course: Course) -> dict[int, list[AuditEntry]]:
    """Return the audit entries of accepted invitations by invitation id, latest first."""
    uses: dict[int, list[AuditEntry]] = defaultdict(list)
    entries = AuditEntry.objects.filter(course=course, action="invitation-accepted")
    for entry in entries.select_related("membership__user", "actor").order_by("-id"):
        uses[entry.details.get("invitation")].append(entry)
    return dict(uses)


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _domains(text: str) -> str:
    """Normalise domains for storage: lower case, separated by spaces."""
    words = [word.removeprefix("@") for word in re.split(r"[\s,;]+", text.strip().lower()) if word]
    for word in words:
        if not DOMAIN.fullmatch(word):
            raise AtField("domains", f"'{word[:80]}' is not a domain such as example.edu.")
    found = " ".join(dict.fromkeys(words))
    if len(found) > MAX_DOMAINS:
        raise AtField("domains", f"These domains have {len(found)} characters; at most {MAX_DOMAINS} are allowed.")
    return found


def _refuse_person(email: str, domains: str, course: Course) -> None:
    validate_email_address(email)
    if domains:
        raise AtField("domains", "An invitation for one person cannot be limited to domains. Remove them.")
    if Membership.objects.filter(course=course, user__in=owners_of(email), removed_at=None).exists():
        raise AtField("email", f"{email} is already in the course.")


def _refuse_open(role: str, uses: int | None) -> None:
    if not settings.SELF_REGISTRATION:
        raise AtField(
            "is_open", "This site does not allow people to create accounts. Add them by email address or with a roster."
        )
    if role != Role.STUDENT:
        raise AtField("is_open", "A link that lets people create accounts can only invite students.")
    if uses is None or uses > MAX_OPEN_USES:
        raise AtField("uses", f"Enter how many people can create an account with this link, at most {MAX_OPEN_USES:,}.")
