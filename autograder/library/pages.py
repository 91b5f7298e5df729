"""What a page needs to know of a version without opening it: the statement as HTML, the starter, the names of its checks.

It is made when exercises are loaded, because finding the checks of a version runs its `checks.py`, and that no web process
does. It follows from the version and can be made again whenever the way of showing things changes.
"""

from dataclasses import dataclass

import msgspec

from autograder.judge.pack import Pack
from autograder.library import example_calls, statements
from autograder.library.models import ExerciseVersion, VersionPage

MADE_BY = 4  # raise it when a page should be made anew


class NotPrepared(Exception):
    """A version was stored, but nobody made its page. The message is for the operator."""


class ListedCheck(msgspec.Struct, frozen=True):
    """A check as it is announced before it is run."""

    id: str
    title: str
    hidden: bool
    points: float


@dataclass(frozen=True)
class Page:
    summary: str
    statement: str
    starter: str
    math: bool
    checks: tuple[ListedCheck, ...]
    effort: str
    calls: str

    @property
    def public(self) -> tuple[ListedCheck, ...]:
        return tuple(check for check in self.checks if not check.hidden)

    @property
    def hidden(self) -> tuple[ListedCheck, ...]:
        return tuple(check for check in self.checks if check.hidden)


def make(version: ExerciseVersion, exercise: Pack) -> None:
    """Store a version's page unless it stands there as we would make it."""
    if VersionPage.objects.filter(version=version, made_by=MADE_BY).exists():
        return
    listed = [ListedCheck(check.id, check.title, check.hidden, check.points) for check in exercise.checks]
    statement = statements.html_of(exercise.statement)
    VersionPage.objects.update_or_create(
        version=version,
        defaults={
            "made_by": MADE_BY,
            "summary": statements.summary_of(exercise.statement),
            "statement": statement,
            "starter": exercise.starter.decode(),
            "calls": example_calls.of(
                exercise.statement,
                exercise.starter.decode(),
                exercise.entry_points,
                [point.signature for point in exercise.settings.entry_points],
            ),
            "math": statements.has_math(statement),
            "checks": msgspec.to_builtins(listed),
            "difficulty": exercise.settings.difficulty,
            "minutes": exercise.settings.minutes,
        },
    )


def page_of(version: ExerciseVersion) -> Page:
    try:
        stored = version.page
    except VersionPage.DoesNotExist:
        raise NotPrepared(
            f"Version {version.hash} of {version.exercise.slug} has no page yet; manage.py exercise load makes it."
        ) from None
    checks = msgspec.convert(stored.checks, tuple[ListedCheck, ...])
    return Page(stored.summary, stored.statement, stored.starter, stored.math, checks, effort_of(version), stored.calls)


def effort_of(version: ExerciseVersion) -> str:
    """How difficult it is and how long it takes, in words; nothing for a version whose page is still to be made."""
    try:
        difficulty, minutes = version.page.difficulty, version.page.minutes
    except VersionPage.DoesNotExist:
        return ""
    words = [f"Difficulty {difficulty} of 5"] if difficulty else []
    return ", ".join([*words, f"about {minutes} min"] if minutes else words)
