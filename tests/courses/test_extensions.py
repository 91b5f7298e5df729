"""Extensions for several students: all or none, and never less than a student had before."""

from datetime import datetime

import pytest

from autograder.courses.errors import Refused
from autograder.courses.extensions import extensions_grant
from autograder.courses.models import AuditEntry, Extension, Membership, Role, Section
from tests.cast import Cast, ahead

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
    with pytest.raises(Refused, match="No students selected"):
        grant(cast)
