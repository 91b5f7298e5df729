"""Courses and sections: what is rejected, stored and recorded in the audit trail."""

from typing import Any

import pytest

from autograder.courses.errors import Refused
from autograder.courses.models import AuditEntry, Course, Role, User
from autograder.courses.rights import OPERATOR
from autograder.courses.setup.courses import section_create
from tests.courses.builders import new_course

pytestmark = pytest.mark.django_db


def test_a_course_is_made_with_its_owner_and_written_down() -> None:
    grace = User.objects.create_user("grace")
    course = new_course(owner=grace, by=OPERATOR)
    assert course.memberships.get().role == Role.OWNER
    assert set(AuditEntry.objects.filter(actor=None).values_list("action", flat=True)) == {"course-created", "member-added"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"slug": "auto diff"}, "cannot be part of a URL"),
        ({"slug": "a" * 51}, "at most 50 are allowed"),
        ({"title": " "}, "needs a title"),
        ({"time_zone": "Europe/Nowhere"}, "no time zone 'Europe/Nowhere'"),
    ],
)
def test_a_course_that_cannot_be(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused, match=words):
        new_course(**settings)
    assert not Course.objects.exists()
    assert not AuditEntry.objects.exists()


def test_two_courses_of_one_name() -> None:
    new_course()
    with pytest.raises(Refused, match="course 'autodiff' already exists"):
        new_course()


def test_two_sections_of_one_name() -> None:
    course = new_course()
    section_create(course=course, name="Monday", by=OPERATOR)
    with pytest.raises(Refused, match="section 'Monday' already exists in Autodiff"):
        section_create(course=course, name=" Monday ", by=OPERATOR)
