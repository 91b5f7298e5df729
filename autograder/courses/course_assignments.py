"""Which assignments a course has: several exercises assigned at once, work graded outside, one taken out and brought back."""

from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import count

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from autograder.courses import audit, rights, services, validation
from autograder.courses.errors import AtField, Refused
from autograder.courses.models import Assignment, Course
from autograder.courses.rights import Acting, Right
from autograder.courses.selectors import version_of_exercise


def exercises_assign(
    *,
    course: Course,
    by: Acting,
    exercises: Sequence[str],
    policies: Collection[str],
    opens_at: datetime | None = None,
    due_at: datetime | None = None,
    closes_at: datetime | None = None,
) -> list[Assignment]:
    """All of them with the same dates, in their latest versions, or none."""
    with transaction.atomic():
        return [
            services.assignment_create(
                course=course,
                version=version_of_exercise(slug),
                by=by,
                policies=policies,
                opens_at=opens_at,
                due_at=due_at,
                closes_at=closes_at,
            )
            for slug in dict.fromkeys(exercises)
        ]


def outside_work_add(
    *,
    course: Course,
    by: Acting,
    title: str,
    points: Decimal,
    unit: str = "",
    due_at: datetime | None = None,
    slug: str = "",
) -> Assignment:
    """An assignment without an exercise, graded outside Gradus. Without a slug it gets one from its title."""
    rights.require(by, Right.SET_UP, course)
    with transaction.atomic():
        Course.objects.select_for_update(no_key=True).get(pk=course.pk)  # two at once would find the same slug free
        taken = set(course.assignments.values_list("slug", flat=True))
        if slug in taken:
            raise AtField("slug", f"An assignment '{slug}' already exists in {course.title}.")
        made = Assignment(
            course=course,
            slug=slug or _free_slug(title, taken),
            title=title.strip(),
            unit=unit.strip(),
            points=points,
            due_at=due_at,
            position=course.assignments.count() + 1,
        )
        validation.slug(made.slug)
        validation.terms(made, [made.policy])
        made.save()
        due = None if due_at is None else str(due_at)
        audit.record(
            "outside-work-added", made, actor=by.user, course=course, unit=made.unit, points=str(points), due_at=due
        )
    return made


def _free_slug(title: str, taken: Collection[str]) -> str:
    """Of a title in another script nothing may be left."""
    begin = slugify(title)[: validation.LONGEST - 4].strip("-_") or "work"
    return next(slug for n in count(1) if (slug := begin if n == 1 else f"{begin}-{n}") not in taken)


def assignment_remove(*, assignment: Assignment, by: Acting) -> Assignment:
    """Nobody sees it or hands in any more, and it counts nowhere. The work stays, and is there again when it comes back."""
    return _put(assignment, by, removed_at=timezone.now())


def assignment_bring_back(*, assignment: Assignment, by: Acting) -> Assignment:
    return _put(assignment, by, removed_at=None)


def _put(assignment: Assignment, by: Acting, removed_at: datetime | None) -> Assignment:
    rights.require(by, Right.SET_UP, assignment.course)
    with transaction.atomic():
        found = Assignment.objects.select_for_update(of=("self",)).select_related("course").get(pk=assignment.pk)
        if (found.removed_at is None) == (removed_at is None):
            raise Refused(f"{found.title} is {'in the course' if removed_at is None else 'out of the course'} already.")
        found.removed_at, found.edition = removed_at, found.edition + 1
        found.save(update_fields=("removed_at", "edition"))
        action = "assignment-back" if removed_at is None else "assignment-removed"
        audit.record(action, found, actor=by.user, course=found.course)
    return found
