"""Links with which people add themselves to a course. A link is shown once, when it is made."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from autograder.courses import audit, refuse, rights, services
from autograder.courses.errors import Refused
from autograder.courses.models import Course, Invitation, Membership, Role, Section, User
from autograder.courses.rights import Acting, Right

LONGEST = timedelta(days=180)


@dataclass(frozen=True)
class Made:
    """An invitation and the word that stands in its link, which nobody can find out later."""

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
) -> Made:
    rights.require(by, Right.PEOPLE, course)
    refuse.role(role)
    refuse.section(section, course)
    if role not in (Role.STUDENT, Role.ASSISTANT):
        raise Refused("A link invites students or assistants. Instructors and owners are added by name.")
    if not 1 <= days <= LONGEST.days:
        raise Refused(f"A link is good for 1 to {LONGEST.days} days.")
    if uses is not None and uses < 1:
        raise Refused("A link can be used at least once.")
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
        )
        audit.record("invitation-made", invitation, actor=by.user, course=course, role=str(role), days=days, uses=uses)
    return Made(invitation, token)


def invitation_of(token: str) -> Invitation:
    """A link that is good just now; why another one is not is no business of whoever holds it."""
    found = Invitation.objects.filter(token_hash=hash_of(token)).select_related("course", "section").first()
    if found is None or not is_good(found):
        raise Refused("This link is not good any more. Ask your instructor for a new one.")
    return found


def invitation_accept(*, token: str, user: User) -> Membership:
    """Somebody who is in the course already stays what they are: a link never changes a role."""
    with transaction.atomic():
        known = invitation_of(token)
        invitation = Invitation.objects.select_for_update(of=("self",)).select_related("course", "section").get(pk=known.pk)
        if not is_good(invitation):
            raise Refused("This link is not good any more. Ask your instructor for a new one.")
        there = Membership.objects.filter(course=invitation.course, user=user).first()
        if there is not None and there.removed_at is None:
            return there
        if there is not None:
            raise Refused("You were taken out of this course. Its instructor can take you in again.")
        if invitation.uses_left is not None:
            invitation.uses_left -= 1
            invitation.save(update_fields=("uses_left",))
        membership = services.join(
            course=invitation.course,
            user=user,
            actor=invitation.created_by,
            role=invitation.role,
            section=invitation.section,
        )
        audit.record("invitation-accepted", membership, actor=user, course=invitation.course, invitation=invitation.pk)
    return membership


def invitation_revoke(*, invitation: Invitation, by: Acting) -> None:
    rights.require(by, Right.PEOPLE, invitation.course)
    with transaction.atomic():
        Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now())
        audit.record("invitation-revoked", invitation, actor=by.user, course=invitation.course)


def is_good(invitation: Invitation) -> bool:
    return (
        invitation.revoked_at is None
        and invitation.expires_at > timezone.now()
        and invitation.uses_left != 0
        and invitation.course.archived_at is None
    )


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
