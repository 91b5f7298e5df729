"""Dates of exercises: moved by days, or by a pattern, such as a unit every week, due on Fridays, but not in the holidays."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Assignment
from autograder.courses.setup.timezones import in_zone, moment_of_day

DATES = ("opens_at", "due_at", "closes_at", "no_credit_after")
DAY, WEEK = timedelta(days=1), timedelta(days=7)
MAX_FREE = 400  # days
_FREE = re.compile(r"(\S+)(?:\s+to\s+(\S+))?")


@dataclass(frozen=True)
class Dates:
    opens_at: datetime | None = None
    due_at: datetime | None = None
    closes_at: datetime | None = None


@dataclass(frozen=True)
class Pattern:
    """A unit opens every `every` days, from `first` on. It is due on the first `weekday` (Monday is 0) that is at least
    `work_days` later and not free, and closes `late_days` after that; None: never.
    """

    first: date
    every: int
    weekday: int
    due_time: time
    work_days: int
    late_days: int | None = None
    free: frozenset[date] = frozenset()

    def opening_day(self, number: int) -> date:
        return self.first + number * self.every * DAY

    def due_day(self, number: int) -> date:
        day = self.usual_due_day(number)
        while day in self.free:
            day += WEEK
        return day

    def usual_due_day(self, number: int) -> date:
        """The due date of this unit if no day were free."""
        earliest = self.opening_day(number) + self.work_days * DAY
        return earliest + (self.weekday - earliest.weekday()) % 7 * DAY

    def dates(self, number: int, zone: tzinfo) -> Dates:
        """The dates of a unit, counted from 0. Refused if the clocks of the zone skip or repeat the time on a due date."""
        due = self.due_day(number)
        closes = (
            None if self.late_days is None else in_zone(datetime.combine(due + self.late_days * DAY, self.due_time), zone)
        )
        opens = moment_of_day(self.opening_day(number), zone, time.min)
        return Dates(opens, in_zone(datetime.combine(due, self.due_time), zone), closes)


def free_days(text: str) -> frozenset[date]:
    """Parse days and ranges of days, separated by commas or lines: "2026-12-24 to 2027-01-06, 2027-02-19"."""
    days: set[date] = set()
    for part in filter(None, (part.strip() for part in re.split(r"[,;\n]", text))):
        found = _FREE.fullmatch(part)
        try:
            first, last = (date.fromisoformat(each) for each in (found[1], found[2] or found[1])) if found else (None, None)
        except ValueError:
            first, last = None, None
        if first is None or last is None or last < first:
            raise Refused(f"“{part}” is not a day or a range of days. Write them as 2027-02-19 or 2026-12-24 to 2027-01-06.")
        if len(days) + (last - first).days >= MAX_FREE:
            raise Refused(f"There are more than {MAX_FREE} free days.")
        days |= {first + number * DAY for number in range((last - first).days + 1)}
    return frozenset(days)


def moved(assignment: Assignment, days: int) -> dict[str, datetime | None]:
    """All dates of an assignment, moved by whole days."""
    return {name: shifted(getattr(assignment, name), days, assignment.course.time_zone) for name in DATES}


def shifted(at: datetime | None, days: int, time_zone: str) -> datetime | None:
    """Move a moment by whole days, keeping the local time of the course across changes of daylight saving time."""
    if at is None:
        return None
    try:
        return (at.astimezone(ZoneInfo(time_zone)) + timedelta(days=days)).astimezone(at.tzinfo)
    except OverflowError:
        raise AtField("days", f"Dates cannot be moved by {days} days.") from None
