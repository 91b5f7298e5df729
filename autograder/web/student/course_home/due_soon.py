"""What a student has to do next by date: steps that are open and not finished, the most urgent first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.utils import timezone

from autograder.web import numbers
from autograder.web.student.assignment_progress import SOON, CourseStep

MOST = 6


@dataclass(frozen=True)
class DueSteps:
    """Steps of one unit that are due at the same time. The entry leads to the first of them."""

    steps: tuple[CourseStep, ...]
    due_at: datetime

    @property
    def overdue(self) -> bool:
        """Late work is still accepted."""
        return self.first.overdue

    @property
    def first(self) -> CourseStep:
        return self.steps[0]

    @property
    def title(self) -> str:
        if len(self.steps) == 1:
            return self.first.assignment.title
        return f"{self.first.assignment.unit or 'Exercises'}: {numbers.quantity(len(self.steps), 'step')}"


def due_soon(steps: Sequence[CourseStep]) -> list[DueSteps]:
    until = timezone.now() + SOON
    left = [step for step in steps if step.waits_for_work and step.terms.due_at and step.terms.due_at < until]
    groups = groupby(sorted(left, key=_when), key=lambda step: (_when(step), step.assignment.unit))
    found = [DueSteps(tuple(same), due_at) for (due_at, _), same in groups]
    return found[:MOST]


def _when(step: CourseStep) -> datetime:
    assert step.terms.due_at is not None
    return step.terms.due_at
