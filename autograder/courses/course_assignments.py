"""Changes the assignments of a course: assigns several exercises at once, adds work graded outside, removes and restores."""

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
    opens_at: datetime | None = None,
    due_at: datetime | None = None,
    closes_at: datetime | None = None,
) -> list[Assignment]:
    """Assign the latest versions of these exercises with the same dates, all of them or none."""
    with transaction.atomic():
        return [
            services.assignment_create(
                course=course,
                version=version_of_exercise(slug),
                by=by,
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
    """Add an assignment without an exercise, which is graded outside Gradus. By default its slug is derived from the title."""
    rights.require(by, Right.SET_UP, course)
    with transaction.atomic():
        Course.objects.select_for_update(no_key=True).get(pk=course.pk)  # two concurrent calls could choose the same slug
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
        validation.terms(made)
        made.save()
        due = None if due_at is None else str(due_at)
        audit.record(
            "outside-work-added", made, actor=by.user, course=course, unit=made.unit, points=str(points), due_at=due
        )
    return made


def _free_slug(title: str, taken: Collection[str]) -> str:
    """Derive an unused slug from a title. A title in a non-Latin script may leave no letters, in which case a default is used."""
    begin = slugify(title)[: validation.LONGEST - 4].strip("-_") or "work"
    return next(slug for n in count(1) if (slug := begin if n == 1 else f"{begin}-{n}") not in taken)


def assignment_remove(*, assignment: Assignment, by: Acting) -> Assignment:
    """Remove an assignment: it is hidden, takes no submissions and does not count. Its work is kept and comes back with it."""
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
