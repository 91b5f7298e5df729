"""Available time zones are places. A local time that is typed is unambiguous, or rejected."""

from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import Course
from autograder.courses.rights import OPERATOR
from autograder.courses.setup.courses import course_create, course_update
from autograder.courses.setup.timezones import is_known, moment_of, regions, zones
from tests.cast import Cast

OFFERED = ("UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Asia/Kolkata", "Pacific/Auckland")
NO_PLACES = ("Factory", "localtime", "Etc/GMT+5", "posixrules", "EST5EDT", "US/Pacific", "GMT", "")


def test_places_are_offered_and_nothing_else() -> None:
    assert set(OFFERED) <= set(zones())
    assert not set(NO_PLACES) & set(zones())
    assert not {"Asia/Calcutta", "Europe/Kiev", "America/Buenos_Aires"} & set(zones()), "older names"
    assert all(ZoneInfo(name) for name in zones()) and len(set(zones())) == len(zones())


def test_places_stand_by_region_in_order() -> None:
    assert list(regions()) == sorted(regions())
    assert regions()["Europe"][:3] == ("Europe/Amsterdam", "Europe/Andorra", "Europe/Astrakhan")
    assert is_known("Asia/Calcutta") and not is_known("Mars/Olympus")


@pytest.mark.django_db
@pytest.mark.parametrize("name", NO_PLACES)
def test_no_course_is_made_elsewhere(name: str) -> None:
    with pytest.raises(Refused, match="There is no time zone"):
        course_create(slug="c", title="C", by=OPERATOR, time_zone=name)


@pytest.mark.django_db
def test_an_older_course_keeps_the_zone_that_it_has() -> None:
    cast = Cast()
    Course.objects.update(time_zone="US/Pacific")
    cast.course.refresh_from_db()
    given: dict[str, Any] = {"term": "", "supersedes": False, "late_days": 0}
    course_update(course=cast.course, by=OPERATOR, title="New", time_zone="US/Pacific", **given)
    with pytest.raises(Refused):
        course_update(course=cast.course, by=OPERATOR, title="New", time_zone="US/Eastern", **given)


# -- parsing times


@pytest.mark.parametrize(
    ("typed", "zone", "words"),
    [
        (
            "2027-03-28T02:30",
            "Europe/Berlin",
            "02:30 does not exist on 28 March 2027 in Europe/Berlin: the clocks go forward. Choose another time, such as 03:30.",
        ),
        (
            "2027-10-31T02:30",
            "Europe/Berlin",
            "02:30 happens twice on 31 October 2027 in Europe/Berlin: the clocks go back. "
            "Choose another time, such as 01:30 or 03:30.",
        ),
        ("2027-04-04T01:45", "Australia/Lord_Howe", "such as 01:15 or 02:15"),  # a change of half an hour
    ],
)
def test_what_clocks_never_show_or_show_twice_is_said(typed: str, zone: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        moment_of(typed, ZoneInfo(zone))
    assert words in refused.value.message
    for other in refused.value.message.rpartition("such as ")[2].rstrip(".").split(" or "):
        moment_of(f"{typed[:10]}T{other}", ZoneInfo(zone))


@pytest.mark.parametrize(
    ("typed", "of_a_date", "moment"),
    [
        ("2027-03-28", time(23, 59, 59), "2027-03-28T23:59:59+02:00"),
        ("2027-03-28", time.min, "2027-03-28T00:00:00+01:00"),
        ("2027-03-28T23:59", time.min, "2027-03-28T23:59:00+02:00"),
        ("2027-03-28 03:00", time.min, "2027-03-28T03:00:00+02:00"),
        ("2027-10-31T02:30+02:00", time.min, "2027-10-31T02:30:00+02:00"),  # the offset makes it unambiguous
    ],
)
def test_a_date_alone_means_its_end_or_its_beginning(typed: str, of_a_date: time, moment: str) -> None:
    assert moment_of(typed, ZoneInfo("Europe/Berlin"), of_a_date) == datetime.fromisoformat(moment)


def test_a_day_whose_midnight_is_none_begins_and_ends() -> None:
    """In Beirut, clocks go forward at midnight, and later back at midnight."""
    beirut = ZoneInfo("Asia/Beirut")
    begins, ends = moment_of("2027-03-28", beirut, time.min), moment_of("2027-10-30", beirut)
    assert begins == datetime.fromisoformat("2027-03-28T00:00:00+02:00")
    assert ends == datetime.fromisoformat("2027-10-30T23:59:59+02:00"), "the second time that clocks show it"


@pytest.mark.parametrize("typed", ["", "tomorrow", "2027-02-30", "2027-01-01T25:00"])
def test_what_is_no_time_is_no_time(typed: str) -> None:
    with pytest.raises(ValueError):
        moment_of(typed, ZoneInfo("UTC"))
