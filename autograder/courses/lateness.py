"""What lateness costs: the one place that says how late a submission is and what share of its points it keeps.

Days are periods of 24 hours after the student's due date; a day that has begun counts as a whole one.
"""

from datetime import datetime, timedelta

import msgspec

from autograder.courses.models import Assignment

DAY = timedelta(days=1)


class Lateness(msgspec.Struct, frozen=True, gc=False):
    """How late a submission came. `days` is 0 if it was on time, the grace period included."""

    days: int = 0
    expired: bool = False  # after the date from which late work earns nothing


ON_TIME = Lateness()


class LateRule(msgspec.Struct, frozen=True):
    """How an assignment treats late work, as it stands for one student."""

    due_at: datetime | None
    credit: float = 1.0  # what a late submission keeps
    per_day: float = 0.0  # less for each day
    floor: float = 0.0  # but at least this much
    grace: timedelta = timedelta(0)
    no_credit_after: datetime | None = None
    late_days: int | None = None  # how many of a student's late days may be used here; None: any number

    @property
    def by_days(self) -> bool:
        """Whether it matters how many days late something is."""
        return self.per_day > 0

    @property
    def costs(self) -> bool:
        """Whether lateness can cost anything here."""
        return self.credit < 1 or self.per_day > 0 or self.no_credit_after is not None

    def lateness(self, submitted_at: datetime) -> Lateness:
        if self.due_at is None or submitted_at <= self.due_at + self.grace:
            return ON_TIME
        expired = self.no_credit_after is not None and submitted_at > max(self.no_credit_after, self.due_at)
        return Lateness(-((self.due_at - submitted_at) // DAY), expired)

    def kept(self, lateness: Lateness, late_days: int = 0) -> float:
        """The share of its points that a submission keeps, if so many late days are used for it."""
        if lateness.expired:
            return 0.0
        days = lateness.days - late_days
        return 1.0 if days <= 0 else max(self.floor, self.credit - self.per_day * days)


def late_words(lateness: Lateness, kept: float, late_days: int = 0, how_late: str = "") -> str:
    """What is said of a late submission: "2 days late: 20 % off". `how_late` says the first part more exactly."""
    words = how_late or f"{days(lateness.days)} late"
    if late_days:
        words += f", {late_days} late {'day' if late_days == 1 else 'days'} used"
    if lateness.expired:
        return f"{words}: no credit any more"
    return f"{words}: {round((1 - kept) * 100, 2):g} % off" if kept < 1 else words


def days(number: int) -> str:
    return "1 day" if number == 1 else f"{number} days"


def late_rule(assignment: Assignment, due_at: datetime | None) -> LateRule:
    """Of an assignment, for somebody for whom it is due then."""
    return LateRule(
        due_at=due_at,
        credit=float(assignment.late_share),
        per_day=float(assignment.late_per_day),
        floor=float(assignment.late_floor),
        grace=assignment.late_grace,
        no_credit_after=assignment.no_credit_after,
        late_days=assignment.late_days_limit,
    )
