"""Extensions for several students: all or none, and never less than a student had before."""

from datetime import datetime
from typing import Any

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Extension, Membership, Role, Section
from autograder.courses.people.extensions import extension_grant, extensions_grant, terms_of
from tests.cast import Cast, ago, ahead

pytestmark = pytest.mark.django_db
EARLY, LATE = ahead(days=3), ahead(days=9)


@pytest.fixture
def cast(db: None) -> Cast:
    return Cast()


def owner(cast: Cast) -> Membership:
    return Membership.objects.select_related("user", "course").get(course=cast.course, user=cast.owner)


def grant(cast: Cast, *names: str, due_at: datetime = EARLY, by: Membership | None = None, extra: int = 0) -> None:
    extensions_grant(
        assignment=cast.assignment,
        memberships=[cast.membership(name) for name in names],
        by=by or owner(cast),
        reason="The lab was closed.",
        due_at=due_at,
        extra_attempts=extra,
    )


def test_each_has_it_and_each_is_written_down(cast: Cast) -> None:
    grant(cast, "ada", "ben")
    assert set(Extension.objects.values_list("membership__user__username", "due_at")) == {("ada", EARLY), ("ben", EARLY)}
    assert AuditEntry.objects.filter(action="extension-granted").count() == 2


def test_whoever_has_more_keeps_it(cast: Cast) -> None:
    grant(cast, "ada", due_at=LATE, extra=3)
    grant(cast, "ada", "ben", due_at=EARLY, extra=1)
    found = Extension.objects.get(membership=cast.membership("ada"))
    assert (found.due_at, found.extra_attempts) == (LATE, 3)


def test_one_who_may_not_be_extended_stops_all(cast: Cast) -> None:
    other = Cast(slug="other", exercise="value-unary").membership("mallory")
    with pytest.raises(Refused, match="You may not grant more time"):
        extensions_grant(
            assignment=cast.assignment,
            memberships=[cast.membership("ada"), other],
            by=owner(cast),
            reason="Ill.",
            due_at=EARLY,
        )
    assert not Extension.objects.exists()


def test_assistants_do_not_extend(cast: Cast) -> None:
    section = Section.objects.create(course=cast.course, name="Mon")
    assistant = cast.membership("ann")
    assistant.role, assistant.section = Role.ASSISTANT, section
    assistant.save()
    with pytest.raises(Refused):
        grant(cast, "ada", by=assistant)


def test_nobody_is_refused(cast: Cast) -> None:
    with pytest.raises(Refused, match="No students are selected"):
        grant(cast)


def granted(cast: Cast, **settings: Any) -> Extension:
    given: dict[str, Any] = {
        "assignment": cast.assignment,
        "membership": cast.membership("ada"),
        "by": cast.staff,
        "reason": "Ill.",
    }
    return extension_grant(**given | settings)


def test_an_extension_is_granted_and_granted_again() -> None:
    cast = Cast(settings={"closes_at": ago(hours=1), "attempt_limit": 1})
    granted(cast, closes_at=ahead(days=1))
    cast.hands_in("ada")
    granted(cast, closes_at=ahead(days=1), extra_attempts=1)
    assert terms_of(cast.assignment, cast.membership("ada")).attempts == 2
    assert [entry.action for entry in AuditEntry.objects.all()[:2]] == ["extension-changed", "extension-granted"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "must grant a later date or extra submissions"),
        ({"extra_attempts": -1}, "cannot reduce"),
        ({"extra_attempts": 1, "reason": ""}, "Give a reason"),
        ({"due_at": ahead(days=2), "closes_at": ahead(days=1)}, "before it is due"),
    ],
)
def test_an_extension_that_makes_no_sense(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused, match=words):
        granted(Cast(), **settings)
    assert not Extension.objects.exists()


def test_an_extension_for_a_member_of_another_course() -> None:
    cast, other = Cast(), Cast(slug="other")
    with pytest.raises(Refused, match="not a member of the course"):
        granted(cast, membership=other.membership("ben"), by=other.staff, extra_attempts=1)
