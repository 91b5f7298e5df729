"""The terms of an assignment for one student: extensions only ever add to them."""

from datetime import UTC, datetime

import pytest

from autograder.courses.models import Extension
from autograder.courses.people.extensions import StudentTerms, terms_of, terms_of_all
from tests.cast import Cast

pytestmark = pytest.mark.django_db
MONDAY, TUESDAY, FRIDAY = (datetime(2026, 3, day, 12, tzinfo=UTC) for day in (2, 3, 6))


@pytest.fixture
def cast(db: None) -> Cast:
    return Cast(settings={"opens_at": MONDAY, "due_at": TUESDAY, "closes_at": TUESDAY, "attempt_limit": 3})


def extend(cast: Cast, **granted: object) -> None:
    Extension.objects.create(assignment=cast.assignment, membership=cast.membership("ada"), granted_by=cast.owner, **granted)


def terms(cast: Cast, name: str = "ada") -> StudentTerms:
    return terms_of(cast.assignment, cast.membership(name))


def test_without_an_extension_the_assignments_own_dates_hold(cast: Cast) -> None:
    assert terms(cast) == StudentTerms(MONDAY, TUESDAY, TUESDAY, 3)


def test_a_later_due_date_keeps_it_open_as_long(cast: Cast) -> None:
    extend(cast, due_at=FRIDAY)
    assert terms(cast) == StudentTerms(MONDAY, FRIDAY, FRIDAY, 3)


def test_an_earlier_date_takes_nothing_away(cast: Cast) -> None:
    extend(cast, due_at=MONDAY, closes_at=MONDAY)
    assert terms(cast) == StudentTerms(MONDAY, TUESDAY, TUESDAY, 3)


def test_extra_attempts_are_added(cast: Cast) -> None:
    extend(cast, extra_attempts=2)
    assert terms(cast).attempts == 5


def test_what_has_no_limit_gets_none_by_an_extension(db: None) -> None:
    cast = Cast()
    extend(cast, due_at=FRIDAY, extra_attempts=2)
    assert terms(cast) == StudentTerms(None, None, None, None)


def test_one_students_extension_is_no_others(cast: Cast) -> None:
    extend(cast, due_at=FRIDAY)
    ada, ben = cast.membership("ada"), cast.membership("ben")
    found = terms_of_all(cast.assignment, [ada, ben])
    assert (found[ada.pk].due_at, found[ben.pk].due_at) == (FRIDAY, TUESDAY)
