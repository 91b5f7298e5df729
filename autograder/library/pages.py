"""Stores the content of a version for pages: the statement as HTML, the starter, the names of its checks.

It is created when exercises are loaded, because finding a version's checks runs its `checks.py`, which web processes never
do. It is derived from the version and can be recreated whenever the rendering changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from autograder.judge.files import FileSet
from autograder.judge.outcome import ListedCheck
from autograder.judge.pack import Content
from autograder.library import example_calls, statements
from autograder.library.models import ExerciseVersion, VersionPage

MADE_BY = 6  # increase it to recreate all pages


class NotPrepared(Exception):
    """A version was stored without its page. The message is for operators."""


class ListedFiles(msgspec.Struct, frozen=True):
    """The files of an exercise as pages need them: names, and the content only of those that students may read."""

    main: str
    editable: list[str]
    given: dict[str, str]
    support: list[str]
    carried: dict[str, str]  # and the exercise that each one comes from
    free: list[str] = []


@dataclass(frozen=True)
class Page:
    """`files` is None for an exercise of a single file. Support and carried files are without their content."""

    summary: str
    statement: str
    starter: str
    file_name: str
    files: FileSet | None
    math: bool
    checks: tuple[ListedCheck, ...]
    effort: str
    calls: str

    def file_of(self, slug: str) -> str:
        """What a submission of a single file is called in the assignment of that slug."""
        return self.file_name or f"{slug}.py"

    @property
    def public(self) -> tuple[ListedCheck, ...]:
        return tuple(check for check in self.checks if not check.hidden)

    @property
    def hidden(self) -> tuple[ListedCheck, ...]:
        return tuple(check for check in self.checks if check.hidden)


def make(version: ExerciseVersion, exercise: Content, checks: Sequence[ListedCheck]) -> None:
    """Store a version's page, unless an up-to-date one exists."""
    if VersionPage.objects.filter(version=version, made_by=MADE_BY).exists():
        return
    statement = statements.html_of(exercise.statement)
    VersionPage.objects.update_or_create(
        version=version,
        defaults={
            "made_by": MADE_BY,
            "summary": statements.summary_of(exercise.statement),
            "statement": statement,
            "starter": exercise.starter.decode(),
            "file_name": exercise.settings.main.rpartition("/")[2],
            "files": msgspec.to_builtins(_listed(exercise.files)),
            "calls": example_calls.of(
                exercise.statement,
                exercise.starter.decode(),
                exercise.entry_points,
                [point.signature for point in exercise.settings.entry_points],
            ),
            "math": statements.has_math(statement),
            "checks": msgspec.to_builtins(checks),
            "difficulty": exercise.settings.difficulty,
            "minutes": exercise.settings.minutes,
            "concepts": list(exercise.settings.concepts),
        },
    )


def checks_of(version: ExerciseVersion) -> tuple[ListedCheck, ...]:
    return msgspec.convert(_stored(version).checks, tuple[ListedCheck, ...])


def page_of(version: ExerciseVersion) -> Page:
    stored = _stored(version)
    return Page(
        stored.summary,
        stored.statement,
        stored.starter,
        stored.file_name,
        _file_set(stored.files),
        stored.math,
        checks_of(version),
        effort_of(version),
        stored.calls,
    )


def _stored(version: ExerciseVersion) -> VersionPage:
    try:
        return version.page
    except VersionPage.DoesNotExist:
        raise NotPrepared(
            f"Version {version.hash} of {version.exercise.slug} has no page yet. Create it with manage.py exercise load."
        ) from None


def _listed(files: FileSet | None) -> ListedFiles | None:
    if files is None:
        return None
    given = {path: content.decode() for path, content in files.given.items()}
    carried, free = dict(files.carried_from), list(files.free)
    return ListedFiles(files.main, list(files.editable), given, list(files.support), carried, free)


def _file_set(stored: object) -> FileSet | None:
    if stored is None:
        return None
    listed = msgspec.convert(stored, ListedFiles)
    return FileSet(
        listed.main,
        tuple(listed.editable),
        {path: content.encode() for path, content in listed.given.items()},
        dict.fromkeys(listed.support, b""),
        dict.fromkeys(listed.carried, b""),
        listed.carried,
        tuple(listed.free),
    )


def files_of(version_id: int) -> FileSet | None:
    """The files of a version, None for a single one."""
    stored = VersionPage.objects.filter(version=version_id).values_list("files", flat=True).first()
    return _file_set(stored)


def effort_of(version: ExerciseVersion) -> str:
    """Describe the difficulty and duration. Empty for a version whose page has not been created yet."""
    try:
        difficulty, minutes = version.page.difficulty, version.page.minutes
    except VersionPage.DoesNotExist:
        return ""
    words = [f"Difficulty {difficulty} of 5"] if difficulty else []
    return ", ".join([*words, f"about {minutes} min"] if minutes else words)
