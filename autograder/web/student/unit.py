"""The page that opens a unit: what it teaches, its exercises in order, and which exercise teaches which concept."""

from collections.abc import Sequence

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from autograder.courses.models import Membership
from autograder.library.models import UnitPage
from autograder.web.access import SignedIn, members_only
from autograder.web.student.assignment_progress import CourseStep, exercises_of, steps_of


@members_only
@require_safe
def unit(request: SignedIn, membership: Membership, unit: str) -> HttpResponse:
    page = UnitPage.objects.filter(slug=unit).first()
    steps = (
        [] if page is None else [step for step in exercises_of(steps_of(membership)) if step.curriculum_unit == page.title]
    )
    if page is None or not steps:
        raise Http404("no such unit, or none of its exercises is assigned in this course")
    context = {
        "membership": membership,
        "course": membership.course,
        "here": "course",
        "page": page,
        "steps": steps,
        "concepts": concepts_of(steps),
    }
    return render(request, "web/student/unit.html", context)


def concepts_of(steps: Sequence[CourseStep]) -> dict[str, list[CourseStep]]:
    """Return every concept with the exercises that teach it, in the order in which they first do."""
    found: dict[str, list[CourseStep]] = {}
    for step in steps:
        for concept in step.concepts:
            found.setdefault(concept, []).append(step)
    return found
