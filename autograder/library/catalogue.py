"""The latest versions of the loaded exercises, in teaching order."""

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from django.db.models import Max, Q, QuerySet

from autograder.library.models import Exercise, ExerciseVersion, UnitPage

T = TypeVar("T")
UNITS = (
    "Scalar engine",
    "Reading the graph",
    "Autograd semantics",
    "Hand-written VJPs",
    "Layers with a cache",
    "Tensor engine",
    "Stability and kinks",
    "Forward mode and testing",
    "Custom Functions",
    "Higher order",
)


def latest_versions(course: str, but: Collection[str] = ()) -> list[ExerciseVersion]:
    """Return the latest versions of what a course may assign, with their pages, by unit and difficulty: exercises of the
    site, its own, and those that others share. `but` are slugs of exercises to exclude.
    """
    return in_teaching_order(_latest(but).filter(_available_to(course)), lambda version: version)


def is_available(exercise: Exercise, course: str) -> bool:
    """Whether a course may assign an exercise."""
    return ExerciseVersion.objects.filter(_available_to(course), exercise=exercise).exists()


def _available_to(course: str) -> Q:
    return Q(exercise__withdrawn_at=None) & (Q(exercise__owner__in=("", course)) | Q(exercise__shared=True))


def exercises_by_unit() -> dict[UnitPage, list[ExerciseVersion]]:
    """Return the units that have a page, each with the latest versions of its exercises, without statements."""
    pages = {page.title: page for page in UnitPage.objects.defer("text")}
    long = ("statement", "starter", "files", "calls", "checks")
    versions = (
        _latest().filter(unit__in=pages, page__isnull=False, exercise__owner="").defer(*(f"page__{name}" for name in long))
    )
    found: dict[UnitPage, list[ExerciseVersion]] = {}
    for version in in_teaching_order(versions, lambda version: version):
        found.setdefault(pages[version.unit], []).append(version)
    return found


def exercises_of_unit(unit: str) -> list[ExerciseVersion]:
    """Return the latest versions of the exercises of a unit, with their pages."""
    return in_teaching_order(_latest().filter(unit=unit, page__isnull=False, exercise__owner=""), lambda version: version)


def _latest(but: Collection[str] = ()) -> QuerySet[ExerciseVersion]:
    numbers = ExerciseVersion.objects.exclude(exercise__slug__in=but).values("exercise").annotate(latest=Max("id"))
    versions = ExerciseVersion.objects.filter(pk__in=[row["latest"] for row in numbers.order_by()])
    return versions.select_related("exercise", "page").defer("archive")


def latest_version(slug: str, course: str) -> ExerciseVersion | None:
    """Return the latest version of an exercise that a course may assign."""
    versions = ExerciseVersion.objects.filter(_available_to(course), exercise__slug=slug)
    return versions.select_related("exercise", "page").defer("archive").order_by("-id").first()


def in_teaching_order(items: Iterable[T], version_of: Callable[[T], ExerciseVersion | None]) -> list[T]:
    """Sort by unit and difficulty. Units outside the curriculum come later, by name, and what has no exercise comes last."""
    return sorted(items, key=lambda item: _place(version_of(item)))


def _place(version: ExerciseVersion | None) -> tuple[int, str, int, int, str]:
    if version is None:
        return len(UNITS) + 1, "", 0, 0, ""
    unit = UNITS.index(version.unit) if version.unit in UNITS else len(UNITS)
    page = getattr(version, "page", None)  # a version whose page has not been created yet has none
    return unit, version.unit, (page and page.difficulty) or 0, (page and page.minutes) or 0, version.title
