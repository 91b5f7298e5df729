"""Bar chart of the credit left after each day of lateness."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.courses.models import Assignment
from autograder.courses.policies.lateness import DAY, ON_TIME, Lateness, late_rule
from autograder.web import numbers

MAX_DAYS = 14
BAR, GAP, HEIGHT = 28, 16, 64  # in pixels


@dataclass(frozen=True)
class CreditBar:
    label: str
    percent: str
    x: int
    y: int
    height: int

    @property
    def middle(self) -> int:
        return self.x + BAR // 2


@dataclass(frozen=True)
class LateChart:
    bars: tuple[CreditBar, ...]
    notes: tuple[str, ...]
    bar: int = BAR
    height: int = HEIGHT

    @property
    def width(self) -> int:
        return len(self.bars) * (BAR + GAP)

    @property
    def words(self) -> str:
        """Text alternative of the chart."""
        return ", ".join(f"{bar.label}: {bar.percent}%" for bar in self.bars)


def late_chart(assignment: Assignment) -> LateChart | None:
    """Return the chart, or None if the assignment has no due date."""
    if assignment.due_at is None:
        return None
    bars = tuple(
        CreditBar(
            label,
            numbers.points(round(remaining * 100, 1)),
            GAP // 2 + number * (BAR + GAP),
            HEIGHT - round(remaining * HEIGHT),
            round(remaining * HEIGHT),
        )
        for number, (label, remaining) in enumerate(_days(assignment))
    )
    return LateChart(bars, tuple(_notes(assignment)))


def _days(assignment: Assignment) -> Iterator[tuple[str, float]]:
    """Yield the credit for each day, until it no longer changes."""
    rule = late_rule(assignment, assignment.due_at)
    yield "on time", rule.remaining(ON_TIME)
    before = -1.0
    for day in range(1, MAX_DAYS + 1):
        assert assignment.due_at is not None
        begins = assignment.due_at + (day - 1) * DAY
        expired = assignment.no_credit_after is not None and begins >= assignment.no_credit_after
        remaining = rule.remaining(Lateness(day, expired))
        if remaining == before and not (assignment.no_credit_after and not expired):
            return
        yield f"{day} d", remaining
        before = remaining


def _notes(assignment: Assignment) -> Iterator[str]:
    if assignment.late_grace:
        yield f"Submissions up to {assignment.late_grace.total_seconds() / 60:g} minutes after the due date are on time."
    if assignment.no_credit_after:
        yield "Submissions after the last date for credit earn no points."
    if assignment.course.late_days and assignment.late_days_limit != 0:
        yield "Each late day that a student uses reduces the lateness by one day."
