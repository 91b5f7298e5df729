"""The time zones that can be chosen: those of places, and UTC."""

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


@cache
def zones() -> tuple[str, ...]:
    places = (name for name in available_timezones() if "/" in name and not name.startswith(NO_PLACES))
    return ("UTC", *sorted(places))


def refuse_unknown_zone(name: str) -> None:
    if name not in zones():
        raise Refused(f"There is no time zone '{name}'. They are called like Europe/Berlin or UTC.")
