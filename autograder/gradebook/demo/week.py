"""Simulates the students' week before the demo: what they submit, when, and who does not begin.

Everything is derived from the login, the assignment and its dates, so the same course always has the same week.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from random import Random

from autograder.courses.models import Assignment, Membership, User
from autograder.courses.people.extensions import StudentTerms, terms_of
from autograder.judge.pack import Content
from autograder.library.versions import exercise_of
from autograder.submissions.models import Kind

SHORTEST, LONGEST = 6.0, 90.0  # minutes between two attempts, increasing with every attempt
RUN_FIRST = 0.1  # probability of trying the public checks before submitting


@dataclass(frozen=True)
class Task:
    """An exercise as the demo assigns it. Dates are in days relative to the start of the course, which is now."""

    exercise: str
    opens: float
    due: float
    closes: float
    policy: str = "best"
    late_share: str = "1"
    attempts: int | None = None
    cool_down: int = 0  # minutes


TASKS = (  # visitors begin with the first one: it is open and not yet late
    Task("value-engine", -7, 5, 12, policy="best", late_share="0.5"),
    Task("value-accumulate", -7, -3, 4, policy="best", late_share="0.5"),
    Task("value-unary", -6, -2, 5, policy="best", late_share="0.7"),
    Task("vjp-elementwise", -5, -1, -0.5),
    Task("vjp-unbroadcast", -4, 1, 4, policy="last", late_share="0.8"),
    Task("accumulate-bug", -3, 1, 5, cool_down=5),
    Task("fn-cubic", -3, 1.5, 6, attempts=6),
    Task("hvp", 2, 8, 9, attempts=5),
    # one exercise of each other unit, to be opened later
    Task("graph-walk", 3, 9, 12),
    Task("vjp-softmax-lse", 4, 10, 13),
    Task("tensor-broadcast", 5, 11, 14),
    Task("cs-affine", 6, 12, 15),
    Task("jvp-dual", 7, 13, 16),
)


class Habit(Enum):
    """How a student works during the whole course."""

    SURE = auto()
    USUAL = auto()
    LATE = auto()
    STUCK = auto()  # never succeeds, and retries one assignment many times
    LEAVES = auto()  # stops after the second assignment
    ABSENT = auto()
    BEGINS = auto()  # made one mistake in the first assignment, and nothing else


WRONG_FIRST = {  # the minimum and maximum number of wrong attempts before a correct one
    Habit.SURE: (0, 1),
    Habit.USUAL: (0, 2),
    Habit.LATE: (1, 2),
    Habit.STUCK: (2, 3),
    Habit.LEAVES: (0, 2),
}
HABITS = (
    Habit.USUAL,
    Habit.SURE,
    Habit.USUAL,
    Habit.LATE,
    Habit.USUAL,
    Habit.STUCK,
    Habit.USUAL,
    Habit.SURE,
    Habit.LEAVES,
    Habit.ABSENT,
)
FIRST_MISTAKE = "overwrites-instead-of-accumulating"  # the one that the front page demonstrates
STUCK_ON = ("value-engine", "vjp-unbroadcast")  # alternating
STUCK_ATTEMPTS = 8
ASSIGNMENTS_BEGUN = {Habit.ABSENT: 0, Habit.BEGINS: 1, Habit.LEAVES: 2}  # students with other habits begin all assignments


@dataclass(frozen=True)
class Attempt:
    user: User
    assignment: str
    at: datetime
    source: bytes
    kind: Kind


def week(students: Sequence[Membership], assignments: Sequence[Assignment], now: datetime) -> list[Attempt]:
    """Return all submissions until now, in chronological order."""
    found = [
        attempt
        for n, student in enumerate(students)
        for place, assignment in enumerate(assignments)
        if place < ASSIGNMENTS_BEGUN.get(habit_of(n), len(assignments))
        for attempt in _attempts(student, n, assignment, now)
    ]
    return sorted(found, key=lambda attempt: (attempt.at, attempt.user.pk))


def habit_of(n: int) -> Habit:
    return HABITS[n % len(HABITS)] if n else Habit.BEGINS


def _attempts(student: Membership, n: int, assignment: Assignment, now: datetime) -> Iterator[Attempt]:
    habit = habit_of(n)
    rng = Random(f"{student.user.username} {assignment.slug}")
    exercise = exercise_of(assignment.version_id).content
    again_and_again = habit == Habit.STUCK and exercise.slug == STUCK_ON[n // len(HABITS) % len(STUCK_ON)]
    sources = _many_failures(rng, exercise) if again_and_again else _sources(rng, habit, exercise)
    terms = terms_of(assignment, student)
    at, end = _beginning(rng, habit, terms, now), min(now, terms.closes_at or now)
    for n, source in enumerate(sources[: terms.attempts]):
        if rng.random() < RUN_FIRST:
            yield from _before(end, Attempt(student.user, assignment.slug, at, source, Kind.RUN))
            at += timedelta(minutes=rng.uniform(0.5, 3))
        yield from _before(end, Attempt(student.user, assignment.slug, at, source, Kind.SUBMIT))
        at += assignment.cool_down + timedelta(minutes=rng.uniform(SHORTEST, LONGEST) * (n + 1) / 2)


def _beginning(rng: Random, habit: Habit, terms: StudentTerms, now: datetime) -> datetime:
    """Return when a student starts: usually late but in time to finish, for some after the due date."""
    assert terms.opens_at and terms.due_at and terms.closes_at, "every task of the demo has its dates"
    if habit == Habit.BEGINS:
        return terms.opens_at + timedelta(minutes=1)  # before all others, so that it is graded first
    if habit == Habit.LATE:
        return terms.due_at + (min(terms.closes_at, now) - terms.due_at) * rng.uniform(0.02, 0.7)
    return terms.opens_at + (min(terms.due_at, now) - terms.opens_at) * rng.betavariate(2.0, 1.3)


def _before(end: datetime, attempt: Attempt) -> Iterator[Attempt]:
    if attempt.at < end:
        yield attempt


def _sources(rng: Random, habit: Habit, exercise: Content) -> list[bytes]:
    """Return the sources to submit, wrong ones first. A stuck student submits the starter before them, and never a solution."""
    if habit == Habit.BEGINS:
        return [_without_comment(exercise.wrong[FIRST_MISTAKE])]
    least, most = WRONG_FIRST[habit]
    wrong = [_without_comment(exercise.wrong[key]) for key in rng.sample(sorted(exercise.wrong), rng.randint(least, most))]
    if habit == Habit.STUCK:
        return [exercise.starter, *wrong]
    unusual = [exercise.right[key] for key in sorted(exercise.right)]
    return [*wrong, rng.choice([exercise.solution, exercise.solution, *unusual])]


def _many_failures(rng: Random, exercise: Content) -> list[bytes]:
    """Return the starter, then one mistake after the other in several variants; the last few are the same mistake."""
    mistakes: dict[str, list[bytes]] = {}
    for key in sorted(exercise.wrong):
        mistakes.setdefault(key.partition("~")[0], []).append(_without_comment(exercise.wrong[key]))
    chosen = sorted(rng.sample(sorted(mistakes), len(mistakes)), key=lambda mistake: len(mistakes[mistake]))
    return [exercise.starter, *[source for mistake in chosen for source in mistakes[mistake]][1 - STUCK_ATTEMPTS :]]


def _without_comment(source: bytes) -> bytes:
    """Remove the docstring in which the author of a wrong solution explains the mistake, because a student would not write it."""
    before, quotes, rest = source.partition(b'"""')
    return source if before.strip() or not quotes else rest.partition(b'"""')[2].lstrip()
