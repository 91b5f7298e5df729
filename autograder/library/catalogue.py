"""The latest versions of the loaded exercises, in teaching order."""

from collections.abc import Collection, Iterable

from django.db.models import Max

from autograder.library.models import ExerciseVersion

UNITS = (
    *(
        "Scalar engine",
        "Reading the graph",
        "Autograd semantics",
        "Hand-written VJPs",
        "Layers with a cache",
        "Tensor engine",
        "Stability and kinks",
    ),
    *("Forward mode and testing", "Custom Functions", "Higher order"),
)


def latest_versions(but: Collection[str] = ()) -> list[ExerciseVersion]:
    """Return the latest versions with their pages, by unit and difficulty. `but` are slugs of exercises to exclude."""
    numbers = ExerciseVersion.objects.exclude(exercise__slug__in=but).values("exercise").annotate(latest=Max("id"))
    versions = ExerciseVersion.objects.filter(pk__in=[row["latest"] for row in numbers.order_by()])
    return in_teaching_order(versions.select_related("exercise", "page").defer("archive"))


def latest_version(slug: str) -> ExerciseVersion | None:
    versions = ExerciseVersion.objects.filter(exercise__slug=slug).select_related("exercise", "page").defer("archive")
    return versions.order_by("-id").first()


def in_teaching_order(versions: Iterable[ExerciseVersion]) -> list[ExerciseVersion]:
    """Sort versions. Units outside the curriculum come last, by name."""
    return sorted(versions, key=_place)


def _place(version: ExerciseVersion) -> tuple[int, str, int, int, str]:
    unit = UNITS.index(version.unit) if version.unit in UNITS else len(UNITS)
    page = getattr(version, "page", None)  # a version whose page has not been created yet has none
    return unit, version.unit, (page and page.difficulty) or 0, (page and page.minutes) or 0, version.title
