"""First passwords for accounts that came with a roster and have none: chosen here, handed out once, kept by nobody."""

import csv
import io
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX, PBKDF2PasswordHasher
from django.db import transaction
from django.db.models import Q, QuerySet

from autograder.courses import audit, rights
from autograder.courses.accounts import nobody_elses
from autograder.courses.models import Course, Membership, User
from autograder.courses.rights import Acting, Right
from autograder.courses.spreadsheet import guarded

LENGTH = 12
LETTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is read as another
COLUMNS = ("section", "login", "name", "password")
# 69 random bits are not guessed, however fast one tries; a thousand slow hashes would keep everybody waiting for minutes.
# Django hashes as slowly as any other when somebody signs in for the first time.
ROUNDS = 10_000


@dataclass(frozen=True)
class Handed:
    """An account and its new password, which stands nowhere else."""

    membership: Membership
    password: str


def without_password(course: Course, by: Acting) -> QuerySet[Membership]:
    """Members who could not sign in yet. Whoever has a password, or has ever signed in, keeps what they have.

    An owner makes them for the accounts of `accounts.nobody_elses`; the rest is for an operator.
    """
    never = Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX) | Q(user__password="")
    found = Membership.objects.filter(never, course=course, removed_at=None, user__is_active=True, user__last_login=None)
    return nobody_elses(found, by, Right.OWN)


def first_passwords(*, course: Course, by: Acting) -> list[Handed]:
    rights.require(by, Right.OWN, course)
    with transaction.atomic():
        members = list(
            without_password(course, by)
            .select_for_update(of=("self",))
            .select_related("user", "section")
            .order_by("section__name", "user__last_name", "user__first_name", "user__username")
        )
        handed = [Handed(member, "".join(secrets.choice(LETTERS) for _ in range(LENGTH))) for member in members]
        for one in handed:
            one.membership.user.password = _hashed(one.password)
        User.objects.bulk_update([one.membership.user for one in handed], ["password"])
        if handed:
            audit.record("first-passwords", course, actor=by.user, course=course, accounts=len(handed))
    return handed


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
