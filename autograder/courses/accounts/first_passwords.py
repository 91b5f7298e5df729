"""First passwords for accounts that a roster created without one: generated here, output once, and stored only as hashes."""

import csv
import io
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX, PBKDF2PasswordHasher
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from autograder.courses import audit, rights
from autograder.courses.accounts.access import controllable_members
from autograder.courses.models import Course, Membership
from autograder.courses.person_names import by_name
from autograder.courses.rights import Acting, Right
from autograder.courses.tables.formulas import guarded

LENGTH = 15
LETTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without letters that can be mistaken for others
COLUMNS = ("section", "login", "name", "password")
# A list for 3,000 accounts is created within one request, so that no password has to be stored for a background job or a
# second page. Slow hashes would take minutes. A password of 15 random letters has 86 bits of entropy: with 200 rounds,
# guessing one from its hash takes thousands of times the work needed for 12 letters with 10,000 rounds. At the first
# sign-in, Django replaces the hash by one with its usual number of rounds.
ROUNDS = 200


@dataclass(frozen=True)
class FirstPassword:
    """An account and its new password, which is not stored anywhere else."""

    membership: Membership
    password: str


def without_password(course: Course, by: Acting) -> QuerySet[Membership]:
    """Return the members who cannot sign in because they have no password yet, or because it was ended.

    Members who have signed in keep their passwords. An owner may create passwords for the accounts of
    `access.controllable_members` only; an operator for all.
    """
    never = Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX) | Q(user__password="")
    waiting = Q(user__last_login=None) | Q(user__password_ended_at__isnull=False)
    found = Membership.objects.filter(never, waiting, course=course, removed_at=None, user__is_active=True)
    return controllable_members(found, by, Right.OWN)


def with_first_password(course: Course) -> QuerySet[Membership]:
    """Return the members who were given a first password and have not chosen another one yet."""
    return Membership.objects.filter(course=course, removed_at=None, user__first_password_at__isnull=False)


def first_passwords_create(*, course: Course, by: Acting) -> list[FirstPassword]:
    rights.require(by, Right.OWN, course)
    with transaction.atomic():
        members = list(
            without_password(course, by)
            .select_for_update(of=("self", "user"))  # also locks the account, which holds the password
            .select_related("user", "section")
            .order_by("section__name", *by_name())
        )
        allowed = set(without_password(course, by).values_list("pk", flat=True))  # checked again under the lock
        members = [member for member in members if member.pk in allowed]
        created = [FirstPassword(member, "".join(secrets.choice(LETTERS) for _ in range(LENGTH))) for member in members]
        _store({entry.membership.user_id: _hashed(entry.password) for entry in created}, course)
        if created:
            audit.record("first-passwords", course, actor=by.user, course=course, accounts=len(created))
    return created


def _store(hashes: Mapping[int, str], course: Course) -> None:
    """Store the hashes by account, and that staff of the course, who hand out the list, may know the passwords.

    One statement per account is much faster than a single statement with a case for each.
    """
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE courses_user SET password = %s, access_given_in_id = %s, first_password_at = %s WHERE id = %s",
            [(text, course.pk, now, pk) for pk, text in hashes.items()],
        )


def first_passwords_csv(created: Sequence[FirstPassword]) -> bytes:
    """Return the passwords as CSV with a byte order mark, so that spreadsheets decode the names correctly."""
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for entry in created:
        section = entry.membership.section.name if entry.membership.section else ""
        user = entry.membership.user
        rows.writerow([guarded(cell) for cell in (section, user.username, user.get_full_name())] + [entry.password])
    return text.getvalue().encode("utf-8-sig")


def _hashed(password: str) -> str:
    hasher = PBKDF2PasswordHasher()
    return hasher.encode(password, hasher.salt(), ROUNDS)
