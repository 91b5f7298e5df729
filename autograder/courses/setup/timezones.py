"""The available time zones, namely UTC and those named after places, and conversion of entered dates and times."""

from datetime import UTC, date, datetime, time, tzinfo
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from zoneinfo import TZPATH, available_timezones

from autograder.courses.errors import Refused

TABLE = "zone.tab"
END_OF_DAY = time(23, 59, 59)  # used for a date without a time: "due on Friday" means the end of that day


@cache
def zones() -> tuple[str, ...]:
    """Return UTC and the places of all countries, without older names of the same place."""
    return ("UTC", *(name for names in regions().values() for name in names))


@cache
def regions() -> dict[str, tuple[str, ...]]:
    """Return the same places by region: {"Europe": ("Europe/Amsterdam", ...)}."""
    lines = _table().read_text("utf-8").splitlines()
    names = sorted(line.split("\t")[2] for line in lines if not line.startswith("#"))
    return {region: tuple(found) for region, found in groupby(names, lambda name: name.partition("/")[0])}


def _table() -> Path:
    """The list of places by country, which comes with the time zones themselves."""
    for folder in map(Path, TZPATH):
        if (folder / TABLE).is_file():
            return folder / TABLE
    return Path(str(files("tzdata") / "zoneinfo" / TABLE))


@cache
def _all() -> frozenset[str]:
    return frozenset(available_timezones())


def is_known(name: str) -> bool:
    """Return whether this is a time zone under any name, such as a browser may have."""
    return name in _all()


def validate_time_zone(name: str) -> None:
    if name not in zones():
        raise Refused(f"There is no time zone '{name}'. Use a name such as Europe/Berlin or UTC.")


def moment_of(text: str, zone: tzinfo, of_a_date: time = END_OF_DAY) -> datetime:
    """Parse a date and time in ISO 8601, or a date alone, which means the time `of_a_date`.

    Raises ValueError for any other text, and Refused for a local time that does not exist or occurs twice.
    """
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return in_zone(datetime.fromisoformat(text), zone)
    return moment_of_day(day, zone, of_a_date)


def moment_of_day(day: date, zone: tzinfo, of_a_date: time) -> datetime:
    """Return a moment on this day. If the clock changes at midnight, the first or last moment of the day is unambiguous.

    Returned in UTC, because Python does not treat a moment with a fold as equal to another.
    """
    return datetime.combine(day, of_a_date, zone).replace(fold=1 if of_a_date == END_OF_DAY else 0).astimezone(UTC)


def in_zone(at: datetime, zone: tzinfo) -> datetime:
    """Return the moment at which local clocks show this time. A time with an offset is returned unchanged."""
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
