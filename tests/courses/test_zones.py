"""Time zones that can be chosen are places."""

from typing import Any

import pytest

from autograder.courses import services
from autograder.courses.errors import Refused
from autograder.courses.models import Course
from autograder.courses.rights import OPERATOR
from autograder.courses.zones import zones
from tests.cast import Cast

OFFERED = ("UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Kolkata", "Pacific/Auckland")
NO_PLACES = ("Factory", "localtime", "Etc/GMT+5", "posixrules", "EST5EDT", "US/Pacific", "GMT", "")


def test_places_are_offered_and_nothing_else() -> None:
    assert set(OFFERED) <= set(zones())
    assert not set(NO_PLACES) & set(zones())


@pytest.mark.django_db
@pytest.mark.parametrize("name", NO_PLACES)
def test_no_course_is_made_elsewhere(name: str) -> None:
    with pytest.raises(Refused, match="There is no time zone"):
        services.course_create(slug="c", title="C", by=OPERATOR, time_zone=name)


@pytest.mark.django_db
def test_an_older_course_keeps_the_zone_that_it_has() -> None:
    cast = Cast()
    Course.objects.update(time_zone="US/Pacific")
    cast.course.refresh_from_db()
    given: dict[str, Any] = {"term": "", "supersedes": False, "late_days": 0}
    services.course_change(course=cast.course, by=OPERATOR, title="New", time_zone="US/Pacific", **given)
    with pytest.raises(Refused):
        services.course_change(course=cast.course, by=OPERATOR, title="New", time_zone="US/Eastern", **given)
