"""A course whose staff has all roles, and a draft in it."""

from dataclasses import dataclass

import msgspec
import pytest
from django.utils import timezone

from autograder.authoring import drafts
from autograder.authoring.models import Draft, DraftProof
from autograder.courses.models import Course, Membership, Role, User
from autograder.judge.outcome import ListedCheck
from autograder.prove.findings import Finding, Proof
from tests.cast import Cast

CHECKS = [
    ListedCheck("two-rows", "A matrix of two rows", False, 1.0),
    ListedCheck("other-shapes", "Other shapes", True, 3.0),
]


@dataclass
class Team:
    course: Course
    owner: Membership
    instructor: Membership
    assistant: Membership


@pytest.fixture
def team() -> Team:
    cast = Cast()
    roles = (Role.INSTRUCTOR, Role.ASSISTANT)
    users = [User.objects.create_user(role) for role in roles]
    staff = [
        Membership.objects.create(course=cast.course, user=user, role=role) for user, role in zip(users, roles, strict=True)
    ]
    return Team(cast.course, cast.staff, *staff)


@pytest.fixture
def draft(team: Team) -> Draft:
    return drafts.start(team.course, "vjp", "softplus", 'Softplus, "stable"', "Own", by=team.owner)


def proved(draft: Draft, *findings: Finding) -> Draft:
    """The draft as if a worker had proved it as it is, and found this."""
    draft.refresh_from_db()
    DraftProof.objects.filter(draft=draft).update(
        edition=draft.edition,
        opened=draft.edition,
        checks=msgspec.to_builtins(CHECKS),
        found=msgspec.to_builtins(Proof(draft.slug, "", findings, mutants=9, killed=9)),
        proved_at=timezone.now(),
    )
    return Draft.objects.select_related("course", "proof").get(pk=draft.pk)
