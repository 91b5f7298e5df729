"""The exercises that can be assigned, with a preview of how students see each of them. A preview stores nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.forms.boundfield import BoundWidget
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.courses.models import Membership
from autograder.courses.rights import Right
from autograder.courses.units import by_unit
from autograder.library.catalogue import latest_version
from autograder.library.models import ExerciseVersion
from autograder.library.pages import NotPrepared, Page, page_of
from autograder.library.statements import without_ids
from autograder.web.access import SignedIn
from autograder.web.staff.access import page_context, staff_only
from autograder.web.staff.setup.exercises.forms import AssignForm


@dataclass(frozen=True)
class AvailableExercise:
    """An exercise with its checkbox. `page` is None until the page was prepared."""

    version: ExerciseVersion
    tick: BoundWidget
    page: Page | None

    @property
    def statement(self) -> str:
        return without_ids(self.page.statement) if self.page else ""


@dataclass(frozen=True)
class AvailableUnit:
    title: str
    exercises: tuple[AvailableExercise, ...]

    @property
    def points(self) -> float:
        return sum(exercise.version.points for exercise in self.exercises)


def available_units_of(form: AssignForm) -> list[AvailableUnit]:
    """Group the offers by unit, in curriculum order."""
    units = by_unit(_offers(form), lambda offer: offer.version.unit)
    return [AvailableUnit(title, tuple(offers)) for title, offers in units.items()]


def _offers(form: AssignForm) -> Iterator[AvailableExercise]:
    for version, tick in zip(form.offered, form["exercises"], strict=True):
        yield AvailableExercise(version, tick, _page(version))


def _page(version: ExerciseVersion) -> Page | None:
    try:
        return page_of(version)
    except NotPrepared:
        return None


@staff_only(Right.SET_UP)
@require_safe
def exercise_preview(request: SignedIn, staff: Membership, exercise: str) -> HttpResponse:
    """Show an exercise as a student sees it first: statement, starter, public checks and the number of hidden ones."""
    version = latest_version(exercise)
    page = _page(version) if version else None
    if page is None:
        raise Http404("no such exercise, or it has no page yet")
    context = page_context(staff, "exercises") | {"version": version, "page": page}
    return render(request, "web/staff/setup/exercises/exercise_preview.html", context)
