"""The course home: progress, the next exercise, due dates and news."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from autograder.courses.models import Membership
from autograder.gradebook.grades.late_credit import late_days_left
from autograder.library import units as unit_pages
from autograder.web import timestamps
from autograder.web.access import SignedIn, members_only
from autograder.web.student.assignment_progress import (
    CourseStep,
    exercises_of,
    scores_in,
    steps_of,
    total_of_steps,
    units_of,
)
from autograder.web.student.course_home.due_soon import due_soon
from autograder.web.student.course_home.news import news_of
from autograder.web.student.course_home.progress_stairs import progress_stairs


@members_only
@require_safe
def home(request: SignedIn, membership: Membership) -> HttpResponse:
    steps = steps_of(membership)
    how = total_of_steps(membership, steps)
    units, exercises = units_of(steps, how), exercises_of(steps)
    return render(
        request,
        "web/student/course_home/course_home.html",
        {
            "membership": membership,
            "course": membership.course,
            "here": "course",
            "units": units,
            "unit_pages": unit_pages.slugs_of(step.curriculum_unit for step in exercises),
            "steps": exercises,
            "how": how,
            "passed": sum(unit.passed for unit in units),
            "late_days": late_days_left(membership.course, scores_in(steps).values()),
            "next": _next(steps),
            "stairs": progress_stairs(exercises),
            "due": due_soon(steps),
            "news": news_of(membership, steps),
            "zone": timestamps.zone_name(timezone.get_current_timezone()),
        },
    )


@members_only
@require_safe
def next_exercise(request: SignedIn, membership: Membership) -> HttpResponse:
    """Redirect to the exercise that the course home suggests next."""
    found = _next(steps_of(membership))
    slug = membership.course.slug
    return redirect("home", slug) if found is None else redirect("exercise", slug, found.assignment.slug)


def _next(steps: Sequence[CourseStep]) -> CourseStep | None:
    """The first exercise that was started and not finished, else the first open one."""
    left = [step for step in steps if step.waits_for_work]
    return next((step for step in left if step.submissions), left[0] if left else None)
