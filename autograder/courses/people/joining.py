"""Handles the use of an invitation link: joining, creating an account and joining, or an explanation why neither is possible.

The holder of a link may learn that it exists, for which course, and why it is no longer valid. A membership is disclosed
only to the person concerned, and the address of a personal invitation is masked.
"""

from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from autograder.courses import audit
from autograder.courses.accounts import access
from autograder.courses.accounts.selectors import owners_of
from autograder.courses.accounts.validation import validate_person
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Invitation, Membership, User
from autograder.courses.people.invitations import InvitationEnd, hash_of, invitation_end
from autograder.courses.people.members import member_join
from autograder.courses.person_names import split_name

ASK = "Ask your instructor for a new one."


class OfferCase(StrEnum):
    """The situation of a person who opens a link."""

    UNKNOWN = "unknown"
    ENDED = "ended"
    MEMBER = "member"
    REMOVED = "removed"
    OTHER_PERSON = "other person"
    OTHER_DOMAIN = "other domain"
    SIGN_IN = "sign in"
    REGISTER = "register"
    JOIN = "join"


@dataclass(frozen=True)
class InvitationOffer:
    """What a link offers to a person. If they cannot join, `words` explains why and what to do next."""

    case: OfferCase
    invitation: Invitation | None = None
    words: str = ""
    membership: Membership | None = None
    ends_password: bool = False  # if this person joins, see `access.end_others_access`


class HasAccount(AtField):
    """The address of a registration belongs to an existing account."""


def invitation_offer(token: str, user: User | None) -> InvitationOffer:
    """Return what a link offers. `user` is None for a visitor who is not signed in."""
    return _offer(_unlocked(token), user)


def invitation_accept(*, token: str, user: User) -> Membership:
    """Join the course. For members it changes nothing: a link never changes a role, and their use of it is not counted."""
    with transaction.atomic():
        found = _offer(_locked(token), user)
        if found.membership is not None and found.case == OfferCase.MEMBER:
            return found.membership
        if found.case != OfferCase.JOIN or found.invitation is None:
            raise Refused(found.words)
        return _join(found.invitation, user)


def invitation_register(*, token: str, email: str, name: str, password: str) -> Membership:
    """Create an account and join the course. The address is not verified, which is recorded on the account.

    An address of another account is refused. The password is hashed before any row is locked, because hashing is slow.
    """
    email = User.objects.normalize_email(email.strip())
    user = User(username=User.normalize_username(email.lower()), email=email, registered_by_link=True)
    user.first_name, user.last_name = split_name(name)
    _refuse_registration(_offer(_unlocked(token), None), user)
    if not name.strip():
        raise AtField("name", "Enter your name.")
    try:
        validate_password(password, user)
    except ValidationError as trouble:
        raise AtField("password", " ".join(trouble.messages)) from None
    user.password = make_password(password)
    with transaction.atomic():
        found = _offer(_locked(token), None)
        invitation = _refuse_registration(found, user)
        try:
            with transaction.atomic():
                user.save(force_insert=True)
        except IntegrityError:
            raise _has_account() from None
        membership = _join(invitation, user)
        audit.record("account-registered", membership, actor=user, course=invitation.course, invitation=invitation.pk)
    return membership


def masked(email: str) -> str:
    """Mask an address for people other than its owner."""
    name, _, domain = email.rpartition("@")
    return f"{name[:1]}…@{domain}"


def can_register(invitation: Invitation) -> bool:
    return invitation.is_open and settings.SELF_REGISTRATION


def _unlocked(token: str) -> Invitation | None:
    return Invitation.objects.filter(token_hash=hash_of(token)).select_related("course", "section").first()


def _locked(token: str) -> Invitation | None:
    found = Invitation.objects.select_for_update(of=("self",)).filter(token_hash=hash_of(token))
    return found.select_related("course", "section").first()


def _offer(invitation: Invitation | None, user: User | None) -> InvitationOffer:
    if invitation is None:
        return InvitationOffer(
            OfferCase.UNKNOWN,
            words="This invitation link is not valid. Check that you copied the whole link. "
            "If you did, ask your instructor for a new one.",
        )
    course = invitation.course
    there = Membership.objects.filter(course=course, user=user).select_related("course", "section").first() if user else None
    if there is not None and there.removed_at is None:
        return InvitationOffer(OfferCase.MEMBER, invitation, f"You are already in {course.title}.", there)
    if there is not None:
        words = (
            f"You were removed from {course.title}. Ask an instructor of the course to restore you. "
            "An invitation link cannot do that."
        )
        return InvitationOffer(OfferCase.REMOVED, invitation, words)
    if (why := invitation_end(invitation)) is not None:
        return InvitationOffer(OfferCase.ENDED, invitation, _ended_words(invitation, why))
    if user is None:
        return InvitationOffer(OfferCase.REGISTER if can_register(invitation) else OfferCase.SIGN_IN, invitation)
    addresses = {address.casefold() for address in (user.email, user.username) if "@" in address}
    if invitation.email and invitation.email.casefold() not in addresses:
        words = f"This invitation is for {masked(invitation.email)}. Sign in with that account, or ask for a new invitation."
        return InvitationOffer(OfferCase.OTHER_PERSON, invitation, words)
    if not any(_is_of_domain(address, invitation) for address in addresses | {""}):
        words = f"This invitation is only for email addresses at {domains_in_words(invitation)}."
        return InvitationOffer(
            OfferCase.OTHER_DOMAIN, invitation, f"{words} Sign in with another account, or ask your instructor to add you."
        )
    return InvitationOffer(OfferCase.JOIN, invitation, ends_password=access.is_others_access(user, course))


def _ended_words(invitation: Invitation, why: InvitationEnd) -> str:
    title = invitation.course.title
    return {
        InvitationEnd.REVOKED: f"This invitation to {title} was revoked. {ASK}",
        InvitationEnd.ARCHIVED: f"{title} is archived and no longer accepts members. Ask your instructor which course to join.",
        InvitationEnd.USED_UP: f"This invitation to {title} has reached its maximum number of uses. "
        "If you already joined with it, sign in. Otherwise, ask your instructor for a new one.",
        InvitationEnd.EXPIRED: f"This invitation to {title} has expired. {ASK}",
    }[why]


def _refuse_registration(found: InvitationOffer, user: User) -> Invitation:
    """Check everything except the password."""
    invitation, address = found.invitation, user.email
    if invitation is None or found.case != OfferCase.REGISTER:
        raise Refused(found.words or "You cannot create an account with this link. Sign in with an existing account.")
    values = {"login": user.username, "email": address, "first_name": user.first_name, "last_name": user.last_name}
    if not address:
        raise AtField("email", "Enter your email address.")
    try:
        validate_person(values)
    except AtField as refused:
        if refused.field in ("first_name", "last_name"):
            raise AtField("name", refused.message) from None
        raise AtField("email", f"This email address cannot be used. {refused.message}") from None
    if not address.isascii():
        raise AtField(
            "email",
            "The email address can contain only ASCII characters. If yours contains others, ask your instructor to add you.",
        )
    if invitation.email and address.casefold() != invitation.email.casefold():
        raise AtField(
            "email", f"This invitation is for {masked(invitation.email)}. Use that address, or ask for a new invitation."
        )
    if not _is_of_domain(address, invitation):
        raise AtField("email", f"Use an email address at {domains_in_words(invitation)}.")
    if owners_of(address):
        raise _has_account()
    return invitation


def _has_account() -> HasAccount:
    return HasAccount("email", "An account with this email address already exists. Sign in instead.")


def _is_of_domain(address: str, invitation: Invitation) -> bool:
    return not invitation.domains or address.rpartition("@")[2].lower() in invitation.domains.split()


def domains_in_words(invitation: Invitation) -> str:
    if not invitation.domains:
        return ""
    *first, last = invitation.domains.split()
    return f"{', '.join(first)} or {last}" if first else last


def _join(invitation: Invitation, user: User) -> Membership:
    """Join with an invitation whose row is locked."""
    if invitation.uses_left is not None:
        invitation.uses_left -= 1
        invitation.save(update_fields=("uses_left",))
    membership = member_join(
        course=invitation.course,
        user=user,
        actor=invitation.created_by,
        role=invitation.role,
        section=invitation.section,
    )
    audit.record("invitation-accepted", membership, actor=user, course=invitation.course, invitation=invitation.pk)
    return membership
