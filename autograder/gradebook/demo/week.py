"""What the students of the demo do in the week before it: who tries what, when, and who does not begin.

Everything follows from the login, the assignment and its dates: the same course always has the same week.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from random import Random

from autograder.courses.models import Assignment, Membership, User
from autograder.courses.selectors import Terms, terms_of
from autograder.judge.pack import Pack
from autograder.library.versions import pack_of
from autograder.submissions.models import Kind

SHORTEST, LONGEST = 6.0, 90.0  # minutes between two attempts, more with every one
RUN_FIRST = 0.1  # how often somebody tries the public checks before handing in


@dataclass(frozen=True)
class Task:
    """An exercise as the demo assigns it; dates in days from the course's beginning, which is now."""

    exercise: str
    opens: float
    due: float
    closes: float
    policy: str = "best"
    late_share: str = "1"
    attempts: int | None = None
    cool_down: int = 0  # minutes


TASKS = (
    Task("value-engine", -7, -4, -1, policy="best-before-due", late_share="0.5"),
    Task("value-accumulate", -7, -3, 0.5, policy="best-before-due", late_share="0.5"),
    Task("value-unary", -6, -2, 2, policy="best-before-due", late_share="0.7"),
    Task("vjp-elementwise", -5, -1, 3),
    Task("vjp-unbroadcast", -4, 1, 4, policy="last", late_share="0.8"),
    Task("accumulate-bug", -3, 1, 5, cool_down=5),
    Task("fn-cubic", -3, 1.5, 6, attempts=6),
    Task("hvp", 2, 8, 9, attempts=5),
)


class Habit(Enum):
    """How somebody works, the whole term."""

    SURE = auto()
    USUAL = auto()
    LATE = auto()
    STUCK = auto()  # and never gets there
    LEAVES = auto()  # stops coming after the second assignment
    ABSENT = auto()


WRONG_FIRST = {  # from so many wrong attempts to so many, before a right one
    Habit.SURE: (0, 1),
    Habit.USUAL: (0, 2),
    Habit.LATE: (1, 2),
    Habit.STUCK: (2, 3),
    Habit.LEAVES: (0, 2),
}
HABITS = (
    *(Habit.USUAL, Habit.SURE, Habit.USUAL, Habit.LATE, Habit.USUAL),
    *(Habit.STUCK, Habit.USUAL, Habit.SURE, Habit.LEAVES, Habit.ABSENT),
)


@dataclass(frozen=True)
class Attempt:
    user: User
    assignment: str
    at: datetime
    source: bytes
    kind: Kind


def week(students: Sequence[Membership], assignments: Sequence[Assignment], now: datetime) -> list[Attempt]:
    """Everything that was handed in until now, in order of time."""
    found = [
        attempt
        for n, student in enumerate(students)
        for place, assignment in enumerate(assignments)
        if not _stays_away(HABITS[n % len(HABITS)], place)
        for attempt in _attempts(student, HABITS[n % len(HABITS)], assignment, now)
    ]
    return sorted(found, key=lambda attempt: (attempt.at, attempt.user.pk))


def _stays_away(habit: Habit, place: int) -> bool:
    return habit == Habit.ABSENT or (habit == Habit.LEAVES and place >= 2)


def _attempts(student: Membership, habit: Habit, assignment: Assignment, now: datetime) -> Iterator[Attempt]:
    rng = Random(f"{student.user.username} {assignment.slug}")
    sources = _sources(rng, habit, pack_of(assignment.version_id))
    terms = terms_of(assignment, student)
    at, end = _beginning(rng, habit, terms), min(now, terms.closes_at or now)
    for n, source in enumerate(sources[: terms.attempts]):
        if rng.random() < RUN_FIRST:
            yield from _before(end, Attempt(student.user, assignment.slug, at, source, Kind.RUN))
            at += timedelta(minutes=rng.uniform(0.5, 3))
        yield from _before(end, Attempt(student.user, assignment.slug, at, source, Kind.SUBMIT))
        at += assignment.cool_down + timedelta(minutes=rng.uniform(SHORTEST, LONGEST) * (n + 1) / 2)


def _beginning(rng: Random, habit: Habit, terms: Terms) -> datetime:
    """Most begin when much of the time is over, and still finish; some only when it is."""
    assert terms.opens_at and terms.due_at and terms.closes_at, "every task of the demo has its dates"
    if habit == Habit.LATE:
        return terms.due_at + (terms.closes_at - terms.due_at) * rng.uniform(0.02, 0.7)
    return terms.opens_at + (terms.due_at - terms.opens_at) * rng.betavariate(2.0, 1.3)


def _before(end: datetime, attempt: Attempt) -> Iterator[Attempt]:
    if attempt.at < end:
        yield attempt


def _sources(rng: Random, habit: Habit, exercise: Pack) -> list[bytes]:
    """Wrong ones first; whoever is stuck hands the starter in before anything else, and never gets there."""
    least, most = WRONG_FIRST[habit]
    wrong = [exercise.wrong[key] for key in rng.sample(sorted(exercise.wrong), rng.randint(least, most))]
    if habit == Habit.STUCK:
        return [exercise.starter, *wrong]
    unusual = [exercise.right[key] for key in sorted(exercise.right)]
    return [*wrong, rng.choice([exercise.solution, exercise.solution, *unusual])]
