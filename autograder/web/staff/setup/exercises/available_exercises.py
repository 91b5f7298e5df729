"""The exercises that can be assigned, the plan of their dates, and a preview of how students see one. Nothing is stored."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.courses.setup.dates import Dates
from autograder.courses.setup.units import by_unit
from autograder.library.catalogue import latest_version
from autograder.library.models import ExerciseVersion, VersionPage
from autograder.library.pages import NotPrepared, page_of
from autograder.web import numbers
from autograder.web.access import SignedIn
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.setup.exercises.forms import PlanForm
from autograder.web.student.assignment_progress import KINDS


@dataclass(frozen=True)
class AvailableExercise:
    """`state` is empty if it can be assigned, and otherwise says what it is already in the course."""

    version: ExerciseVersion
    state: str
    chosen: bool

    @property
    def page(self) -> VersionPage | None:
        return stored_page(self.version)

    @property
    def kind(self) -> str:
        return KINDS.get(self.version.kind, self.version.kind)

    @property
    def about(self) -> str:
        """Difficulty, time and points in short."""
        page = self.page
        words = [f"{page.difficulty} of 5"] if page and page.difficulty else []
        words += [f"{page.minutes} min"] if page and page.minutes else []
        return " · ".join([*words, f"{numbers.points(self.version.points)} points"])

    @property
    def searched(self) -> str:
        """What the search looks at."""
        concepts = self.page.concepts if self.page else []
        return " ".join([self.version.title, self.version.exercise.slug, self.kind, *concepts]).lower()


@dataclass(frozen=True)
class AvailableUnit:
    title: str
    exercises: tuple[AvailableExercise, ...]

    @property
    def chosen(self) -> int:
        return sum(exercise.chosen for exercise in self.exercises)

    @property
    def available(self) -> int:
        return sum(not exercise.state for exercise in self.exercises)

    @property
    def all_chosen(self) -> bool:
        return 0 < self.available == self.chosen


@dataclass(frozen=True)
class PlannedUnit:
    title: str
    dates: Dates
    exercises: tuple[ExerciseVersion, ...]
    moved_from: date | None  # the free day on which it would be due otherwise


@dataclass(frozen=True)
class Plan:
    """What will be assigned. `units` is empty while the dates cannot be told; `problems` says why."""

    chosen: int
    of: int
    points: float
    minutes: int
    units: tuple[PlannedUnit, ...]
    problems: tuple[str, ...]

    @property
    def work(self) -> str:
        """The estimated time, such as "about 7 h 20 min"; empty if no exercise has an estimate."""
        hours, minutes = divmod(self.minutes, 60)
        parts = [f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes)
        return f"about {' '.join(parts)}" if parts else ""


def available_units_of(form: PlanForm) -> list[AvailableUnit]:
    """All exercises of the site by unit, in curriculum order."""
    chosen = {version.pk for version in form.chosen}
    exercises = [
        AvailableExercise(version, form.assigned.get(version.exercise.slug, ""), version.pk in chosen)
        for version in form.versions
    ]
    units = by_unit(exercises, lambda exercise: exercise.version.unit)
    return [AvailableUnit(title, tuple(of_unit)) for title, of_unit in units.items()]


def plan_of(form: PlanForm) -> Plan:
    """The plan of a form that was filled in, also of one with errors."""
    pages = [page for page in map(stored_page, form.chosen) if page is not None]
    return Plan(
        len(form.chosen),
        len(form.versions),
        sum(version.points for version in form.chosen),
        sum(page.minutes or 0 for page in pages),
        tuple(_planned_units(form)),
        tuple(
            f"{form[name].label}: {errors[0]}"
            for name, errors in form.errors.items()
            if name in form.fields and name != "exercises"
        ),
    )


def _planned_units(form: PlanForm) -> Iterator[PlannedUnit]:
    if not form.is_bound or form.errors.keys() - {"exercises"}:
        return
    pattern = form.pattern if form.by_pattern else None
    for number, (title, dates) in enumerate(form.dates_of_units().items()):
        usual = pattern.usual_due_day(number) if pattern else None
        moved = pattern is not None and pattern.due_day(number) != usual
        yield PlannedUnit(title, dates, tuple(form.units[title]), usual if moved else None)


def stored_page(version: ExerciseVersion) -> VersionPage | None:
    """None until the page was prepared."""
    return getattr(version, "page", None)


@staff_only(Right.SET_UP)
@require_safe
def exercise_preview(request: SignedIn, staff: Membership, exercise: str) -> HttpResponse:
    """Show an exercise as a student sees it first, and the titles of its hidden checks."""
    version = latest_version(exercise, staff.course.slug)
    try:
        page = page_of(version) if version else None
    except NotPrepared:
        page = None
    if page is None:
        raise Http404("no such exercise, or it has no page yet")
    context = page_context(staff, "exercises") | {"version": version, "page": page}
    return render(request, "web/staff/setup/exercises/exercise_preview.html", context)
