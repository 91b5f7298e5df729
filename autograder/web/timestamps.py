"""Formats dates and times for people in the active time zone: "Thu 26 Nov, 23:59", "today 14:07", "in 2 days"."""

import zoneinfo
from datetime import datetime, timedelta, tzinfo

from django.http import HttpRequest
from django.utils import timezone

from autograder.courses.models import Course, User
from autograder.courses.setup.timezones import is_known
from autograder.web import numbers

BROWSER = "zone"  # the cookie that the sign-in page sets
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def zone_of(request: HttpRequest, user: User, course: Course | None = None) -> tzinfo:
    """Return the time zone that the user chose, or else that of the browser, or else that of the course."""
    own = own_zone(request, user) or (course.time_zone if course is not None else "")
    return zoneinfo.ZoneInfo(own) if is_known(own) else timezone.get_default_timezone()


def own_zone(request: HttpRequest, user: User) -> str:
    """Return the name of the time zone in which this person reads all pages, or "" if it is that of each course."""
    return next((name for name in (user.time_zone, request.COOKIES.get(BROWSER, "")) if is_known(name)), "")


def zone_name(zone: tzinfo) -> str:
    """The display name of a zone: Berlin for `Europe/Berlin`."""
    return str(zone).rpartition("/")[2].replace("_", " ")


def moment(at: datetime, now: datetime | None = None, *, seconds: bool = False) -> str:
    """Format a time in the active time zone. The year is included only if it is not the current one."""
    local, today = timezone.localtime(at), timezone.localtime(now or timezone.now())
    clock = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    if local.date() == today.date():
        return f"today {clock}"
    if local.date() == today.date() - DAY:
        return f"yesterday {clock}"
    return day(at, now) + f", {clock}"


def date_and_time(at: datetime, now: datetime | None = None) -> str:
    """Format a deadline, always with the date."""
    return day(at, now) + f", {timezone.localtime(at):%H:%M}"


def day(at: datetime, now: datetime | None = None) -> str:
    local, today = timezone.localtime(at), timezone.localtime(now or timezone.now())
    year = "" if local.year == today.year else f" {local.year}"
    return f"{local:%a} {local.day} {local:%b}{year}"


def until(at: datetime, now: datetime | None = None) -> str:
    """Format the time left, such as "in 2 days"."""
    left = at - (now or timezone.now())
    if left < timedelta(0):
        return f"{span(-left)} ago"
    return f"in {span(left)}"


def span(length: timedelta) -> str:
    for unit, word in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        if length >= unit:
            return numbers.quantity(length // unit, word)
    return numbers.quantity(max(1, round(length.total_seconds())), "second")


def took(seconds: float) -> str:
    """Format a duration with reasonable precision: 0.31 s, 12 s, 2 minutes."""
    if seconds < 100:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    return span(timedelta(seconds=seconds))
