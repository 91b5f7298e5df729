"""First passwords for accounts that came with a roster and have none: chosen here, handed out once, kept by nobody."""

import csv
import io
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX, PBKDF2PasswordHasher
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from autograder.courses import audit, rights
from autograder.courses.accounts import nobody_elses
from autograder.courses.models import Course, Membership
from autograder.courses.rights import Acting, Right
from autograder.courses.spreadsheet import guarded

LENGTH = 15
LETTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is read as another
COLUMNS = ("section", "login", "name", "password")
# A list for 3,000 accounts is made while its owner waits, so that no password is ever kept for a job or a second page. Slow hashes
# would take minutes. 15 random letters have 86 bits: with 200 rounds, to guess one from its hash is thousands of times the work that
# 12 letters with 10,000 rounds were. Django hashes as slowly as any other when somebody signs in for the first time.
ROUNDS = 200


@dataclass(frozen=True)
class Handed:
    """An account and its new password, which stands nowhere else."""

    membership: Membership
    password: str


def without_password(course: Course, by: Acting) -> QuerySet[Membership]:
    """Members who cannot sign in: yet, or since their password ended. Anybody else who has signed in keeps what they have.

    An owner makes them for the accounts of `accounts.nobody_elses`; the rest is for an operator.
    """
    never = Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX) | Q(user__password="")
    waiting = Q(user__last_login=None) | Q(user__password_ended_at__isnull=False)
    found = Membership.objects.filter(never, waiting, course=course, removed_at=None, user__is_active=True)
    return nobody_elses(found, by, Right.OWN)


def first_passwords(*, course: Course, by: Acting) -> list[Handed]:
    rights.require(by, Right.OWN, course)
    with transaction.atomic():
        members = list(
            without_password(course, by)
            .select_for_update(of=("self", "user"))  # an account, because that is what tells who has a password by now
            .select_related("user", "section")
            .order_by("section__name", "user__last_name", "user__first_name", "user__username")
        )
        allowed = set(without_password(course, by).values_list("pk", flat=True))  # as it is now that they are locked
        members = [member for member in members if member.pk in allowed]
        handed = [Handed(member, "".join(secrets.choice(LETTERS) for _ in range(LENGTH))) for member in members]
        _store({one.membership.user_id: _hashed(one.password) for one in handed}, course)
        if handed:
            audit.record("first-passwords", course, actor=by.user, course=course, accounts=len(handed))
    return handed


def _store(hashes: Mapping[int, str], course: Course) -> None:
    """By account. Whoever hands out the list, staff of the course can have read it.

    One statement for each account is much faster than one that lists all of them as cases.
    """
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE courses_user SET password = %s, access_given_in_id = %s WHERE id = %s",
            [(text, course.pk, pk) for pk, text in hashes.items()],
        )


def list_of(handed: Sequence[Handed]) -> bytes:
    """CSV for whoever hands them out, marked so that a spreadsheet reads the names right."""
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for one in handed:
        section = one.membership.section.name if one.membership.section else ""
        user = one.membership.user
        rows.writerow([guarded(cell) for cell in (section, user.username, user.get_full_name())] + [one.password])
    return text.getvalue().encode("utf-8-sig")


def _hashed(password: str) -> str:
    hasher = PBKDF2PasswordHasher()
    return hasher.encode(password, hasher.salt(), ROUNDS)
