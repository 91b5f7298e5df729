"""First passwords for accounts that came with a roster and have none: chosen here, handed out once, kept by nobody."""

import secrets
from dataclasses import dataclass

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX, make_password
from django.db import transaction
from django.db.models import Q

from autograder.courses import audit
from autograder.courses.models import Course, Membership, User

LENGTH = 12
LETTERS = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is read as another


@dataclass(frozen=True)
class Handed:
    """An account and its new password, which stands nowhere else."""

    membership: Membership
    password: str


def first_passwords(*, course: Course, by: User | None) -> list[Handed]:
    """For members who could not sign in yet. Whoever has a password, or has ever signed in, keeps what they have."""
    never = Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX) | Q(user__password="")
    with transaction.atomic():
        members = list(
            Membership.objects.filter(never, course=course, removed_at=None, user__is_active=True, user__last_login=None)
            .select_for_update(of=("self",))
            .select_related("user", "section")
            .order_by("section__name", "user__last_name", "user__first_name", "user__username")
        )
        handed = [Handed(member, "".join(secrets.choice(LETTERS) for _ in range(LENGTH))) for member in members]
        for one in handed:
            one.membership.user.password = make_password(one.password)
        User.objects.bulk_update([one.membership.user for one in handed], ["password"])
        if handed:
            audit.record("first-passwords", course, actor=by, course=course, accounts=len(handed))
    return handed
