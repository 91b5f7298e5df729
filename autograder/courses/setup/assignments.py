"""Creates and changes the assignments of a course: exercises, and work graded outside Gradus.

Every service checks the right of `by` first, and writes in one transaction together with an audit entry.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from decimal import Decimal
from itertools import count
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from autograder.courses import audit, rights
from autograder.courses.errors import AtField, Conflict, Refused
from autograder.courses.models import Assignment, Course
from autograder.courses.rights import Acting, Right
from autograder.courses.selectors import version_of_exercise
from autograder.courses.setup.dates import Dates
from autograder.courses.validation import MAX_SLUG_LENGTH, validate_assignment, validate_slug
from autograder.library.catalogue import in_teaching_order, is_available
from autograder.library.models import ExerciseVersion

CHANGEABLE = (
    "title",
    "unit",
    "version",
    "position",
    "points",
    "opens_at",
    "due_at",
    "closes_at",
    "policy",
    "late_share",
    "late_per_day",
    "late_floor",
    "late_grace",
    "no_credit_after",
    "late_days_limit",
    "attempt_limit",
    "cool_down",
    "show_hidden",
    "hidden_meanwhile",
    "explain_hidden",
    "show_solutions",
    "carried_files",
)
CHANGEABLE_OUTSIDE = ("title", "unit", "position", "points", "due_at")  # for work graded outside Gradus


def assignment_create(
    *,
    course: Course,
    version: ExerciseVersion,
    by: Acting,
    slug: str = "",
    title: str = "",
    unit: str = "",
    points: Decimal | None = None,
    **terms: Any,
) -> Assignment:
    """Create an assignment. Values that are not given are taken from the exercise; `terms` are other fields of CHANGEABLE.

    Without a position it goes where the curriculum has it, or last in a course that an instructor has put into another order.
    """
    rights.require(by, Right.SET_UP, course)
    slug = slug or version.exercise.slug
    validate_slug(slug)
    _refuse_unknown(terms)
    with transaction.atomic(), nullcontext() if "position" in terms else _curriculum_order_kept(course):
        if not is_available(version.exercise, course.slug):
            raise Refused(f"{version.title} was withdrawn, or belongs to another course that does not share it.")
        if course.assignments.filter(slug=slug).exists():
            raise Refused(f"{course.title} already has the exercise {version.title}.")
        assignment = Assignment(
            course=course,
            version=version,
            slug=slug,
            title=title or version.title,
            unit=unit or version.unit,
            points=Decimal(str(version.points)) if points is None else points,
            **{"position": course.assignments.count() + 1, **terms},
        )
        validate_assignment(assignment)
        assignment.save()
        set_to = {name: audit.plain(getattr(assignment, name)) for name in CHANGEABLE}
        audit.record("assignment-created", assignment, actor=by.user, course=course, **set_to)
    if "position" not in terms:
        assignment.refresh_from_db(fields=("position",))
    return assignment


def assignment_update(*, assignment: Assignment, by: Acting, edition: int | None = None, **wanted: Any) -> Assignment:
    """Change any fields of CHANGEABLE. A new version applies to later submissions; a regrade applies it to earlier ones.

    `edition` is the one that the user saw: if it has changed since, `Conflict` is raised. None overwrites the current one.
    """
    rights.require(by, Right.SET_UP, assignment.course)
    _refuse_unknown(wanted)
    with transaction.atomic():
        found = Assignment.objects.select_for_update(of=("self",)).select_related("course", "version").get(pk=assignment.pk)
        if edition is not None and edition != found.edition:
            raise Conflict(f"Another person changed {found.title} in the meantime. Your changes were not saved yet.", found)
        if found.graded_outside:
            _refuse_terms_of_exercises(found, wanted)
        elif "version" in wanted and wanted["version"].exercise_id != found.exercise_version.exercise_id:
            raise Refused(f"The exercise of {found.title} cannot be replaced. Assign the other exercise separately.")
        changes = audit.set_fields(found, wanted)
        validate_assignment(found)
        if changes:
            found.edition += 1
            found.save(update_fields=(*changes, "edition"))
            audit.record("assignment-changed", found, actor=by.user, course=found.course, changes=changes)
    return found


def assignments_update(*, changes: Mapping[Assignment, Mapping[str, Any]], by: Acting) -> list[Assignment]:
    """Change several assignments, all of them or none. `Conflict` is raised if one was changed since it was read."""
    with transaction.atomic():
        return [
            assignment_update(assignment=assignment, by=by, edition=assignment.edition, **wanted)
            for assignment, wanted in changes.items()
        ]


def assignments_order(*, course: Course, by: Acting, slugs: Sequence[str]) -> None:
    """Put the assignments of a course into this order. Refused unless all of them, and no others, are given."""
    rights.require(by, Right.SET_UP, course)
    with transaction.atomic():
        Course.objects.select_for_update(no_key=True).get(pk=course.pk)
        current = {one.slug: one for one in course.assignments.filter(removed_at=None).order_by("position", "id")}
        if len(slugs) != len(current) or set(slugs) != set(current):
            raise Refused("The exercises of the course changed in the meantime. The order was not saved. Reload the page.")
        if list(slugs) == list(current):
            return
        for position, slug in enumerate(slugs, start=1):
            current[slug].position = position
        Assignment.objects.bulk_update(current.values(), ["position"])
        audit.record("exercises-ordered", course, actor=by.user, course=course)


def exercises_assign(*, course: Course, by: Acting, exercises: Mapping[str, Dates], **terms: Any) -> list[Assignment]:
    """Assign the latest versions of these exercises with their dates, all of them or none. `terms` apply to each."""
    with transaction.atomic(), _curriculum_order_kept(course):
        last = course.assignments.count()
        made = [
            assignment_create(
                course=course, version=version_of_exercise(slug), by=by, position=position, **vars(dates), **terms
            )
            for position, (slug, dates) in enumerate(exercises.items(), start=last + 1)
        ]
    return list(Assignment.objects.filter(pk__in=[one.pk for one in made]).order_by("position"))


@contextmanager
def _curriculum_order_kept(course: Course) -> Iterator[None]:
    """A course that is in curriculum order is so afterwards, too. Another order is an instructor's, and stays."""
    before = _in_order(course)
    yield
    if before == in_teaching_order(before, _version):
        for position, assignment in enumerate(in_teaching_order(_in_order(course), _version), start=1):
            Assignment.objects.filter(pk=assignment.pk).exclude(position=position).update(position=position)


def _in_order(course: Course) -> list[Assignment]:
    found = course.assignments.filter(removed_at=None).select_related("version__page").defer("version__archive")
    return list(found.order_by("position", "id"))


def _version(assignment: Assignment) -> ExerciseVersion | None:
    return assignment.version


def outside_assignment_create(
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
        validate_slug(made.slug)
        validate_assignment(made)
        made.save()
        due = None if due_at is None else str(due_at)
        audit.record(
            "outside-work-added", made, actor=by.user, course=course, unit=made.unit, points=str(points), due_at=due
        )
    return made


def _free_slug(title: str, taken: Collection[str]) -> str:
    """Derive an unused slug from a title. A title in a non-Latin script may leave no letters, in which case a default is used."""
    begin = slugify(title)[: MAX_SLUG_LENGTH - 4].strip("-_") or "work"
    return next(slug for n in count(1) if (slug := begin if n == 1 else f"{begin}-{n}") not in taken)


def assignment_remove(*, assignment: Assignment, by: Acting) -> Assignment:
    """Remove an assignment: it is hidden, takes no submissions and does not count. Its work is kept and comes back with it."""
    return _set_removed(assignment, by, removed_at=timezone.now())


def assignment_restore(*, assignment: Assignment, by: Acting) -> Assignment:
    return _set_removed(assignment, by, removed_at=None)


def _set_removed(assignment: Assignment, by: Acting, removed_at: datetime | None) -> Assignment:
    rights.require(by, Right.SET_UP, assignment.course)
    with transaction.atomic():
        found = Assignment.objects.select_for_update(of=("self",)).select_related("course").get(pk=assignment.pk)
        if (found.removed_at is None) == (removed_at is None):
            raise Refused(
                f"{found.title} has already been {'restored to' if removed_at is None else 'removed from'} the course."
            )
        found.removed_at, found.edition = removed_at, found.edition + 1
        found.save(update_fields=("removed_at", "edition"))
        action = "assignment-back" if removed_at is None else "assignment-removed"
        audit.record(action, found, actor=by.user, course=found.course)
    return found


def _refuse_unknown(terms: Collection[str]) -> None:
    unknown = sorted(set(terms) - set(CHANGEABLE))
    if unknown:
        raise TypeError(f"an assignment has no {', '.join(unknown)} to set")


def _refuse_terms_of_exercises(assignment: Assignment, wanted: Collection[str]) -> None:
    others = [name for name in wanted if name not in CHANGEABLE_OUTSIDE]
    if others:
        names = ", ".join(others).replace("_", " ")
        raise Refused(
            f"{assignment.title} is graded outside Gradus, so it has no {names}. "
            "Its title, unit, position, points and due date can be changed."
        )
