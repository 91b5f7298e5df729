"""Creates accounts, and corrects a person's name or email address.

The login never changes, because people sign in with it and lists refer to it.
"""

from django.db import IntegrityError, transaction

from autograder.courses import audit
from autograder.courses.accounts import access, selectors
from autograder.courses.accounts.validation import LABELS, validate_email_address, validate_text
from autograder.courses.errors import AtField
from autograder.courses.mail import outbox, texts
from autograder.courses.models import Course, Membership, User
from autograder.courses.rights import Acting


def account_create(*, login: str, email: str, course: Course, first_name: str = "", last_name: str = "") -> User:
    """Create an account without a password: the person signs in through the school or receives a first password.

    The email address, to which reset links are sent, was chosen by staff of the course.
    """
    names = {"first_name": first_name, "last_name": last_name}
    return User.objects.create_user(login, email, None, access_given_in=course, **names)


def account_correct(*, membership: Membership, by: Acting, first_name: str, last_name: str, email: str) -> User:
    """Correct the account of a member. A new email address invalidates all reset links, which were created for the owner of
    the old one."""
    access.require_account(by, membership)
    wanted = {"first_name": first_name.strip(), "last_name": last_name.strip(), "email": email.strip()}
    for field, value in wanted.items():
        validate_text(field, value)
    try:
        with transaction.atomic():
            user = User.objects.select_for_update().get(pk=membership.user_id)
            access.require_account(by, Membership.objects.select_related("user", "course").get(pk=membership.pk))
            changes = {name: [getattr(user, name), value] for name, value in wanted.items() if getattr(user, name) != value}
            if "email" in changes:
                _refuse_email(user, wanted["email"])
            if changes:
                _store(user, membership, by, changes)
    except IntegrityError:  # another account took the address at the same time
        raise AtField("email", "Another account has this email address.") from None
    return user


def _store(user: User, membership: Membership, by: Acting, changes: dict[str, list[str]]) -> None:
    before = user.email
    for name, (_, value) in changes.items():
        setattr(user, name, value)
    user.save(update_fields=tuple(changes))
    if "email" in changes:
        user.reset_links.all().delete()
        access.access_record(user=user, course=membership.course)
    audit.record("account-corrected", membership, actor=by.user, course=membership.course, changes=changes)
    fields = " and the ".join(LABELS[name] for name in changes)
    subject, body = texts.corrected(user, membership.course, fields)
    outbox.notice_queue(to=before, subject=subject, body=body)


def _refuse_email(user: User, email: str) -> None:
    """Refuse an address with which another account signs in, whether as its login or as its email address."""
    validate_email_address(email)
    owner = selectors.owner_of_email(email) if email else None
    if owner is not None and owner.pk != user.pk:
        raise AtField("email", "Another account has this email address.")
    if email and User.objects.filter(username__iexact=email).exclude(pk=user.pk).exists():
        raise AtField("email", "Another account uses this address as its login.")
