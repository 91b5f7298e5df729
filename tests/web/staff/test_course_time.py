"""Every page of the staff speaks in the time zone of the course, whatever the reader's own is, and names it."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from autograder.courses.models import User
from tests.cast import Cast
from tests.web.conftest import Signed, browser_of, change, checked, grade, page, reported, words

NAMED = "All times are Berlin time, the time zone of the course."
PAGES = (
    *(
        "overview",
        "gradebook",
        "exercises",
        "people",
        "settings",
        "course-history",
        "regrades",
        "export",
        "roster",
        "invite",
    ),
    *("assign", "copy-course", "extend-many", "freeze", "import-ids", "new-regrade"),
    *("student", "student-grades", "submission", "insight", "assignment-settings", "member"),
)


@pytest.fixture
def owner(cast: Cast, signed: Signed) -> Client:
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    change(cast, due_at=datetime(2031, 1, 15, 22, 59, tzinfo=UTC))
    User.objects.filter(pk=cast.owner.pk).update(time_zone="Asia/Tokyo")
    return browser_of(User.objects.get(pk=cast.owner.pk))


@pytest.mark.parametrize("name", PAGES)
def test_the_zone_is_the_courses_and_named_once(cast: Cast, owner: Client, name: str) -> None:
    submission = cast.hands_in("ada", b"x = 1\n")
    grade(submission, reported(checked("one")))
    own = {
        "student": cast.membership("ada").pk, "student-grades": cast.membership("ada").pk, "member": cast.membership("ada").pk,
        "submission": submission.pk, "insight": cast.assignment.slug, "assignment-settings": cast.assignment.slug,
    }  # fmt: skip
    html = page(owner, reverse(name, args=(cast.course.slug, *([own[name]] if name in own else []))))
    assert NAMED in html
    assert words(html).count("Berlin time") == 1
    assert "16 Jan 2031, 07:59" not in html


def test_a_due_date_is_the_same_on_each(cast: Cast, owner: Client) -> None:
    member = cast.membership("ada")
    for name in ("student", "student-grades"):
        assert "Wed 15 Jan 2031, 23:59" in page(owner, reverse(name, args=(cast.course.slug, member.pk)))
