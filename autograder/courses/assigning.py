"""Which exercises a course has: several assigned at once, one taken out, and brought back with all that was handed in."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from autograder.courses import audit, rights, services
from autograder.courses.errors import Refused
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
