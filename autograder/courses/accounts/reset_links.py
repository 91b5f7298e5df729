"""Single-use links for choosing a new password: created by an instructor and shown once, or sent by mail."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from autograder.courses import audit
from autograder.courses.accounts import access
from autograder.courses.errors import AtField, Refused
from autograder.courses.mail import outbox, texts
from autograder.courses.models import Course, Membership, ResetLink, User
from autograder.courses.rights import Acting

VALIDITY = timedelta(hours=24)
MIN_PAUSE = timedelta(seconds=30)  # between two mails to the same account
INVALID_LINK = (
    "This link is no longer valid. It was already used, is older than 24 hours, or was replaced. Ask for a new one."
)


@dataclass(frozen=True)
class CreatedResetLink:
    """A link and its token, which is not stored."""

    link: ResetLink
    token: str


def reset_link_create(*, membership: Membership, by: Acting) -> CreatedResetLink:
    """Create a link. All earlier links of the account become invalid."""
    access.require_account(by, membership)
    with transaction.atomic():
        user = _locked(membership.user)
        access.require_account(by, Membership.objects.select_related("user", "course").get(pk=membership.pk))
        if not user.is_active:
            raise Refused("This account is deactivated. Only an operator can activate it.")
        user.reset_links.all().delete()
        made = _make(user, by.user, membership.course)
        access.access_record(user=user, course=membership.course)
        until = made.link.expires_at.isoformat(timespec="minutes")
        audit.record("reset-link-made", membership, actor=by.user, course=membership.course, expires_at=until)
        subject, body = texts.link_made(user, membership.course)
        outbox.notice_queue(to=user.email, subject=subject, body=body)
    return made


def reset_link_mail(*, user: User) -> CreatedResetLink:
    """Create a link for a requested mail. Anyone can request one, so it replaces earlier mailed links, but no instructor's link."""
    with transaction.atomic():
        user = _locked(user)
        user.reset_links.filter(mailed=True).delete()
        return _make(user, None, None)


def was_mailed_just_now(user: User) -> bool:
    return user.reset_links.filter(mailed=True, made_at__gt=timezone.now() - MIN_PAUSE).exists()


def reset_link_of(token: str) -> ResetLink:
    """Return a link that is valid now. The reason why a link is invalid is not disclosed."""
    found = ResetLink.objects.filter(token_hash=hash_of(token)).select_related("user", "course", "made_by").first()
    if found is None or not is_valid(found):
        raise Refused(INVALID_LINK)
    return found


def password_reset(*, token: str, password: str) -> User:
    """Set a new password. Holding the link is the authorisation, so no right is required. Ends all sessions and other links
    of the account."""
    with transaction.atomic():
        user = _locked(reset_link_of(token).user)
        link = reset_link_of(token)  # checked again while the account is locked
        try:
            validate_password(password, user)
        except ValidationError as error:
            raise AtField("new_password1", " ".join(error.messages)) from None
        user.set_password(password)
        user.first_password_at = None
        user.save(update_fields=("password", "first_password_at"))
        user.reset_links.all().delete()
        member = Membership.objects.filter(user=user, course=link.course).first() if link.course else None
        audit.record("password-reset", member or user, actor=user, course=link.course, by_mail=link.mailed)
        subject, body = texts.password_changed(user)
        outbox.notice_queue(to=user.email, subject=subject, body=body)
    return user


def is_valid(link: ResetLink) -> bool:
    """Return whether a link is still valid.

    Its creator must still have the right: meanwhile, the person may have become staff elsewhere, or the instructor may have
    left.
    """
    user = link.user
    if (
        link.expires_at <= timezone.now()
        or not user.is_active
        or not constant_time_compare(link.account_mark, mark_of(user))
    ):
        return False
    return link.made_by is None or _may_still(link, link.made_by)


def mark_of(user: User) -> str:
    """Return a hash that changes whenever the password or the email address changes, by whatever means."""
    return salted_hmac("gradus.reset", f"{user.pk}\0{user.password}\0{user.email.lower()}", algorithm="sha256").hexdigest()


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _may_still(link: ResetLink, maker: User) -> bool:
    by = Membership.objects.filter(user=maker, course=link.course, user__is_active=True).first()
    member = Membership.objects.filter(user=link.user, course=link.course).select_related("user", "course").first()
    if by is None or member is None:
        return False
    try:
        access.require_account(by, member)
    except Refused:
        return False
    return True


def _make(user: User, by: User | None, course: Course | None) -> CreatedResetLink:
    now, token = timezone.now(), secrets.token_urlsafe(32)
    ResetLink.objects.filter(expires_at__lt=now).delete()
    link = ResetLink.objects.create(
        user=user,
        made_by=by,
        course=course,
        mailed=course is None,
        token_hash=hash_of(token),
        account_mark=mark_of(user),
        expires_at=now + VALIDITY,
    )
    return CreatedResetLink(link, token)


def _locked(user: User) -> User:
    return User.objects.select_for_update().get(pk=user.pk)
