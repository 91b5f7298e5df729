"""Creates courses and assignments through the services, with defaults for everything."""

from typing import Any

from autograder.courses.models import Assignment, AuditEntry, Course
from autograder.courses.rights import OPERATOR
from autograder.courses.setup.assignments import assignment_create
from autograder.courses.setup.courses import course_create
from tests.cast import version_of


def new_course(**settings: Any) -> Course:
    given: dict[str, Any] = {"slug": "autodiff", "title": "Autodiff", "by": OPERATOR}
    return course_create(**given | settings)


def new_assignment(course: Course, **settings: Any) -> Assignment:
    given: dict[str, Any] = {"course": course, "version": version_of("value-engine"), "by": OPERATOR}
    return assignment_create(**given | settings)


def last_entry() -> AuditEntry:
    last: AuditEntry = AuditEntry.objects.all()[0]
    return last
