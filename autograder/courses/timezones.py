"""The time zones that can be chosen, which are those of places and UTC, and the moments that people type in them."""

from datetime import UTC, date, datetime, time, tzinfo
from functools import cache
from zoneinfo import available_timezones

from autograder.courses.errors import Refused

NO_PLACES = (
    "Etc/",
    "posix/",
    "right/",
    "SystemV/",
    "US/",
    "Canada/",
    "Brazil/",
    "Chile/",
    "Mexico/",
)  # or older names of some

END_OF_DAY = time(23, 59, 59)  # of a date without a time: whoever writes "due on Friday" means its evening


@cache
def zones() -> tuple[str, ...]:
    places = (name for name in available_timezones() if "/" in name and not name.startswith(NO_PLACES))
    return ("UTC", *sorted(places))


def refuse_unknown_zone(name: str) -> None:
    if name not in zones():
        raise Refused(f"There is no time zone '{name}'. Use a name such as Europe/Berlin or UTC.")


def moment_of(text: str, zone: tzinfo, of_a_date: time = END_OF_DAY) -> datetime:
    """A date and time in ISO 8601, or a date alone, which means `of_a_date`. ValueError where it is neither, Refused where clocks
    never show it or show it twice."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return in_zone(datetime.fromisoformat(text), zone)
    return moment_of_day(day, zone, of_a_date)


def moment_of_day(day: date, zone: tzinfo, of_a_date: time) -> datetime:
    """Where clocks are changed at midnight, a day begins and ends once all the same. In UTC, because Python takes no moment with
    a fold for equal to another."""
    return datetime.combine(day, of_a_date, zone).replace(fold=1 if of_a_date == END_OF_DAY else 0).astimezone(UTC)


def in_zone(at: datetime, zone: tzinfo) -> datetime:
    """The moment at which clocks there show this. What has an offset of its own is a moment already."""
    if at.tzinfo is not None:
        return at
    first, second = at.replace(tzinfo=zone), at.replace(tzinfo=zone, fold=1)
    before, after = first.utcoffset(), second.utcoffset()
    if before is None or after is None or before == after:
        return first
    shown, day, by = f"{at:%H:%M}", f"{at.day} {at:%B %Y}", abs(after - before)
    if after > before:
        raise Refused(
            f"{shown} does not exist on {day} in {zone}: the clocks go forward. Choose another time, such as {at + by:%H:%M}."
        )
    raise Refused(
        f"{shown} happens twice on {day} in {zone}: the clocks go back. "
        f"Choose another time, such as {at - by:%H:%M} or {at + by:%H:%M}."
    )
