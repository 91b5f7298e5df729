"""The accounts of people who come from a platform, known by issuer and `sub`.

A platform can sign in as everybody whom it may name. So it never gets an account by naming an email address: the owner of an
account links it after signing in, and accounts of site staff are never linked.
"""

import hashlib
import re
from itertools import count

from django.db import IntegrityError, transaction
from django.utils import timezone

from autograder.courses import audit
from autograder.courses.accounts.selectors import owner_of_email
from autograder.courses.accounts.validation import validate_email_address, validate_text
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Membership, User
from autograder.courses.person_names import split_name
from autograder.lti.errors import LaunchRefused
from autograder.lti.messages import Message
from autograder.lti.models import LmsAccount, Registration

MAX_LOGIN = 40


def account_of(message: Message) -> User | None:
    """Return the account of the person of a message, if they were here before."""
    if not message.sub:
        raise LaunchRefused(
            "Your LMS does not tell Gradus who you are. Ask your instructor to share an ID of each person with Gradus.",
            "no sub",
        )
    known = LmsAccount.objects.filter(issuer=message.iss, sub=message.sub).select_related("user").first()
    if known is None:
        return None
    if not known.user.is_active:
        raise LaunchRefused("This account is deactivated. Ask your instructor.", "deactivated account")
    LmsAccount.objects.filter(pk=known.pk).update(seen_at=timezone.now())
    _complete_names(known.user, message)
    return known.user


def account_with(issuer: str, sub: str) -> User | None:
    known = LmsAccount.objects.filter(issuer=issuer, sub=sub).select_related("user").first()
    return known.user if known else None


def may_have_an_account(message: Message) -> bool:
    """Whether an account here has the email address of the message, so that its owner should be asked before a new one is made."""
    return bool(message.email) and owner_of_email(message.email[:254]) is not None


def account_create(message: Message, registration: Registration, *, by: User | None = None) -> User:
    """Create the account of a person who is here for the first time, or whom `by` adds from the list of an LMS.

    It has no password and, until its owner enters one, no email address: a platform could otherwise receive rights that are
    later given to that address.
    """
    first, last = names_in(message)
    for number in count(1):
        login = _login(message, number)
        try:
            with transaction.atomic():
                user = User.objects.create_user(login, "", None, first_name=first, last_name=last)
                _link(message, registration, user, arrived=by is None)
        except IntegrityError:
            known = LmsAccount.objects.filter(issuer=message.iss, sub=message.sub).select_related("user").first()
            if known is not None:  # the same person in another window
                return known.user
            if number > 50:
                raise
        else:
            action = "lms-account-created" if by is None else "account-created"
            audit.record(action, user, actor=by or user, registration=registration.pk)
            return user
    raise AssertionError("unreachable")


def account_link(message: Message, registration: Registration, user: User) -> None:
    """Link the account of a person who has signed in to it."""
    if user.is_staff or user.is_superuser:
        raise Refused(
            "Accounts of site staff cannot be linked, because your LMS could then sign in to them. "
            "Continue with an account of its own for this LMS."
        )
    try:
        with transaction.atomic():
            _link(message, registration, user)
            audit.record("lms-account-linked", user, actor=user, registration=registration.pk)
    except IntegrityError:  # in another window
        raise Refused("Your LMS already opens an account here. Go back to your LMS and open the link again.") from None


def is_unused(user: User) -> bool:
    """Whether an account was created for a launch and has been used for nothing yet."""
    return not (user.has_usable_password() or user.is_staff or Membership.objects.filter(user=user).exists())


def account_leave(message: Message, *, by: User) -> None:
    """Give up the own account that was created a moment ago, because the person has another one."""
    if not is_unused(by):
        raise Refused("This account has been used already, so it cannot be replaced.")
    with transaction.atomic():
        LmsAccount.objects.filter(issuer=message.iss, sub=message.sub, user=by).delete()
        User.objects.filter(pk=by.pk).update(is_active=False)
        audit.record("lms-account-left", by, actor=by)


def account_unlink(*, account: LmsAccount, by: User) -> None:
    """Remove a link from an account. The next launch of the person makes or asks for an account again."""
    if account.user_id != by.pk:
        raise Refused("This link belongs to another account.")
    if not by.has_usable_password():
        raise Refused("You sign in through your LMS only. Without this link, you could not sign in any more.")
    with transaction.atomic():
        audit.record("lms-account-unlinked", by, actor=by, registration=account.registration_id)
        account.delete()


def _link(message: Message, registration: Registration, user: User, *, arrived: bool = True) -> None:
    LmsAccount.objects.create(
        issuer=message.iss,
        sub=message.sub,
        user=user,
        registration=registration,
        email=_email(message),
        seen_at=timezone.now() if arrived else None,
    )


def _complete_names(user: User, message: Message) -> None:
    """Take a name over for an account that has none, because a platform began to share it later."""
    if user.first_name or user.last_name:
        return
    user.first_name, user.last_name = names_in(message)
    if user.first_name or user.last_name:
        user.save(update_fields=("first_name", "last_name"))


def names_in(message: Message) -> tuple[str, str]:
    """Return the given and the family name of a message, as far as they can be stored."""
    given = message.given_name, message.family_name
    found = given if any(given) else split_name(message.name)
    first, last = (" ".join(name.split()) for name in found)
    return _storable("first_name", first), _storable("last_name", last)


def _email(message: Message) -> str:
    try:
        validate_email_address(message.email)
    except AtField:
        return ""
    return message.email[:254]


def _storable(field: str, value: str) -> str:
    try:
        validate_text(field, value)
    except AtField:
        return ""
    return value


def _login(message: Message, number: int) -> str:
    """Return a login that people can recognise: from the address, else from the name, else from the ID in the LMS."""
    words = message.email.partition("@")[0] or message.full_name
    login = re.sub(r"[^a-z0-9]+", ".", words.lower()).strip(".")[:MAX_LOGIN]
    if not login:
        login = f"lms-{hashlib.sha256(f'{message.iss} {message.sub}'.encode()).hexdigest()[:8]}"
    return login if number == 1 else f"{login}-{number}"
