"""Copies a course: its sections, exercises, units and rules with shifted dates, but without people's work."""

from collections.abc import Sequence

from django.db import transaction

from autograder.courses import audit, rights
from autograder.courses.models import Assignment, Course, Criterion, Membership
from autograder.courses.rights import Right
from autograder.courses.selectors import member_of
from autograder.courses.setup.assignments import CHANGEABLE
from autograder.courses.setup.courses import course_create, section_create
from autograder.courses.setup.dates import moved
from autograder.library.models import ExerciseVersion


def course_copy(
    *, course: Course, slug: str, title: str, term: str, days: int, by: Membership, newest: bool = True
) -> Course:
    """Copy a course with all dates moved by `days`, at the same local time. `newest` uses the latest version of each exercise."""
    rights.require(by, Right.SET_UP, course)
    with transaction.atomic():
        made = course_create(
            slug=slug,
            title=title,
            by=by.user,
            owner=by.user,
            term=term,
            time_zone=course.time_zone,
            supersedes=course.supersedes,
            late_days=course.late_days,
        )
        owner = member_of(by.user, made)
        for section in course.sections.order_by("id"):
            section_create(course=made, name=section.name, by=owner)
        assignments = list(course.assignments.filter(removed_at=None).select_related("version").order_by("position", "id"))
        exercises = [assignment.version.exercise_id for assignment in assignments if assignment.version]
        latest = _latest(exercises) if newest else {}
        copies = [_copy(assignment, made, days, latest) for assignment in assignments]
        Assignment.objects.bulk_create(copies)
        _copy_criteria(assignments, copies)
        audit.record("course-copied", made, actor=by.user, course=made, of=course.slug, days=days, assignments=len(copies))
    return made


def _copy(assignment: Assignment, course: Course, days: int, latest: dict[int, ExerciseVersion]) -> Assignment:
    terms = {name: getattr(assignment, name) for name in CHANGEABLE}
    version = assignment.version and latest.get(assignment.version.exercise_id, assignment.version)
    by_hand = {"points_by_hand": assignment.points_by_hand}
    return Assignment(
        course=course, slug=assignment.slug, **terms | moved(assignment, days) | by_hand | {"version": version}
    )


def _copy_criteria(assignments: Sequence[Assignment], copies: Sequence[Assignment]) -> None:
    """Copy the criteria, without marks."""
    copy_of = {assignment.pk: copy for assignment, copy in zip(assignments, copies, strict=True)}
    criteria = Criterion.objects.filter(assignment__in=assignments, removed_at=None)
    Criterion.objects.bulk_create(
        Criterion(
            assignment=copy_of[criterion.assignment_id],
            title=criterion.title,
            description=criterion.description,
            asks=criterion.asks,
            question=criterion.question,
            points=criterion.points,
            position=criterion.position,
        )
        for criterion in criteria
    )


def _latest(exercises: list[int]) -> dict[int, ExerciseVersion]:
    versions = ExerciseVersion.objects.filter(exercise__in=exercises).defer("archive").order_by("id")
    return {version.exercise_id: version for version in versions}
