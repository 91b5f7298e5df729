"""The single place that decides how late a submission is and what share of its points it keeps.

Days are periods of 24 hours after the student's due date; a started day counts as a full one.
"""

from datetime import datetime, timedelta

import msgspec

from autograder.courses.models import Assignment

DAY = timedelta(days=1)


class Lateness(msgspec.Struct, frozen=True, gc=False):
    """The lateness of a submission. `days` is 0 if it was on time, including the grace period."""

    days: int = 0
    expired: bool = False  # after the date from which late work earns no points


ON_TIME = Lateness()


class LateRule(msgspec.Struct, frozen=True):
    """The rule for late work of an assignment, as it applies to one student."""

    due_at: datetime | None
    credit: float = 1.0  # the share that a late submission keeps
    per_day: float = 0.0  # the deduction per day
    floor: float = 0.0  # the minimum share
    grace: timedelta = timedelta(0)
    no_credit_after: datetime | None = None
    late_days: int | None = None  # the number of late days a student may use here; None: no limit

    @property
    def by_days(self) -> bool:
        """Whether the number of late days matters."""
        return self.per_day > 0

    @property
    def costs(self) -> bool:
        """Whether lateness can cost points."""
        return self.credit < 1 or self.per_day > 0 or self.no_credit_after is not None

    def lateness(self, submitted_at: datetime) -> Lateness:
        if self.due_at is None or submitted_at <= self.due_at + self.grace:
            return ON_TIME
        expired = self.no_credit_after is not None and submitted_at > max(self.no_credit_after, self.due_at)
        return Lateness(-((self.due_at - submitted_at) // DAY), expired)

    def remaining(self, lateness: Lateness, late_days: int = 0) -> float:
        """Return the share of its points that a submission keeps if this many late days are used for it."""
        if lateness.expired:
            return 0.0
        days = lateness.days - late_days
        return 1.0 if days <= 0 else max(self.floor, self.credit - self.per_day * days)


def late_words(lateness: Lateness, remaining: float, late_days: int = 0, how_late: str = "") -> str:
    """Describe a late submission: "2 days late: 20% off". `how_late` replaces the first part with a more precise one."""
    words = how_late or f"{days(lateness.days)} late"
    if late_days:
        words += f", {late_days} late {'day' if late_days == 1 else 'days'} used"
    if lateness.expired:
        return f"{words}: no longer earns credit"
    return f"{words}: {round((1 - remaining) * 100, 2):g}% off" if remaining < 1 else words


def days(number: int) -> str:
    return "1 day" if number == 1 else f"{number} days"


def late_rule(assignment: Assignment, due_at: datetime | None) -> LateRule:
    """Return the rule of an assignment for a student with this due date."""
    return LateRule(
        due_at=due_at,
        credit=float(assignment.late_share),
        per_day=float(assignment.late_per_day),
        floor=float(assignment.late_floor),
        grace=assignment.late_grace,
        no_credit_after=assignment.no_credit_after,
        late_days=assignment.late_days_limit,
    )
