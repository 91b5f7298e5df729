"""Dates of units by a pattern, with days on which nothing is due."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from autograder.courses.errors import Refused
from autograder.courses.setup.dates import Pattern, free_days

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = date(2027, 1, 11)


def pattern(**changed: object) -> Pattern:
    given = {"first": MONDAY, "every": 7, "weekday": 4, "due_time": time(23, 59), "work_days": 7} | changed
    return Pattern(**given)  # type: ignore[arg-type]


def test_the_dates_of_two_units() -> None:
    weekly = pattern(late_days=3)
    assert [weekly.dates(number, BERLIN).opens_at for number in (0, 1)] == [
        datetime(2027, 1, 11, tzinfo=BERLIN), datetime(2027, 1, 18, tzinfo=BERLIN)
    ]  # fmt: skip
    assert [weekly.dates(number, BERLIN).due_at for number in (0, 1)] == [
        datetime(2027, 1, 22, 23, 59, tzinfo=BERLIN), datetime(2027, 1, 29, 23, 59, tzinfo=BERLIN)
    ]  # fmt: skip
    assert weekly.dates(0, BERLIN).closes_at == datetime(2027, 1, 25, 23, 59, tzinfo=BERLIN)
    assert pattern().dates(0, BERLIN).closes_at is None


@pytest.mark.parametrize(("work_days", "due"), [(0, 15), (4, 15), (5, 22), (11, 22), (12, 29)])
def test_a_unit_is_due_on_the_weekday_after_the_days_to_work(work_days: int, due: int) -> None:
    assert pattern(work_days=work_days).due_day(0) == date(2027, 1, due)


def test_nothing_is_due_on_a_free_day() -> None:
    free = free_days("2027-01-22, 2027-01-25 to 2027-01-31")
    assert pattern(free=free).due_day(0) == date(2027, 2, 5), "two Fridays later: both are free"
    assert pattern(free=free).usual_due_day(0) == date(2027, 1, 22)
    assert pattern(free=free).due_day(2) == date(2027, 2, 5)


def test_the_hour_stays_when_the_clocks_change() -> None:
    dates = [pattern(first=date(2027, 3, 15)).dates(number, BERLIN).due_at for number in (0, 1)]
    assert [due.hour for due in dates if due] == [23, 23]
    assert dates[0] and dates[1] and dates[1] - dates[0] == timedelta(days=7)  # of the same zone, so of its clocks


def test_a_time_that_the_clocks_skip_is_refused() -> None:
    with pytest.raises(Refused, match="02:30 does not exist on 28 March 2027"):
        pattern(first=date(2027, 3, 15), weekday=6, due_time=time(2, 30)).dates(0, BERLIN)


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), (" , ", 0), ("2027-02-19", 1), ("2026-12-24 to 2027-01-06", 14), ("2027-02-19\n2027-02-19; 2027-02-20", 2)],
)
def test_free_days_are_read(text: str, count: int) -> None:
    assert len(free_days(text)) == count


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Friday", "“Friday” is not a day or a range of days. Write them as 2027-02-19 or 2026-12-24 to 2027-01-06."),
        ("2027-02-30", "“2027-02-30” is not a day"),
        ("2027-02-19 to 2027-02-18", "is not a day or a range of days"),
        ("2027-02-19 until 2027-02-20", "is not a day or a range of days"),
        ("2027-01-01 to 2029-01-01", "There are more than 400 free days."),
    ],
)
def test_what_is_no_free_day_is_refused(text: str, words: str) -> None:
    with pytest.raises(Refused, match=words.replace("(", r"\(")):
        free_days(text)
