"""Help and error pages show the navigation of the course that the user came from."""

import pytest
from django.test import Client

from autograder.courses.models import Course, Role
from tests.cast import Cast
from tests.web.conftest import Signed, member, page

pytestmark = pytest.mark.django_db
STUDENT = ["/c/autodiff/", "/c/autodiff/grades/", "/help/?course=autodiff"]
TEACHER = [*STUDENT, "/t/autodiff/"]
OWNER = [f"/t/autodiff/{name}" for name in ("", "exercises/", "gradebook/", "people/", "settings/")]
SITE = ["/help/"]


def links(text: str) -> list[str]:
    """Return the URLs in the navigation."""
    navigation = text.partition("<nav")[2].partition("</nav>")[0]
    return [part.partition('"')[0] for part in navigation.split('href="')[1:]]


@pytest.mark.parametrize("path", ["/help/?course=autodiff", "/c/autodiff/nothing/", "/c/autodiff/nothing/at/all/"])
def test_a_student_keeps_the_course(signed: Signed, path: str) -> None:
    assert links(page(signed("ada"), path, 200 if "help" in path else 404)) == STUDENT


def test_staff_keep_the_way_to_their_pages(cast: Cast, signed: Signed) -> None:
    client = signed("autodiff-grace")
    assert links(page(client, "/help/?course=autodiff")) == TEACHER
    assert links(page(client, "/c/autodiff/nothing/", 404)) == TEACHER
    assert links(page(client, "/t/autodiff/nothing/", 404)) == OWNER


def test_an_assistant_sees_what_the_role_allows(cast: Cast, signed: Signed) -> None:
    client = signed("tim")
    member(cast, "tim", Role.ASSISTANT)
    assert links(page(client, "/t/autodiff/settings/", 404)) == ["/t/autodiff/", "/t/autodiff/gradebook/"]


def test_a_student_is_shown_no_staff_pages(signed: Signed) -> None:
    assert links(page(signed("ada"), "/t/autodiff/settings/", 404)) == STUDENT


def test_of_somebody_elses_course_nothing_is_said(signed: Signed) -> None:
    client = signed("ada")
    Course.objects.create(slug="theirs", title="A course of others")
    for path in ("/c/theirs/nothing/", "/help/?course=theirs"):
        text = page(client, path, 200 if "help" in path else 404)
        assert links(text) == ["/", *SITE]
        assert "A course of others" not in text


def test_the_only_course_is_kept_on_pages_outside_of_it(cast: Cast, signed: Signed) -> None:
    client = signed("ada")
    assert links(page(client, "/password/")) == links(page(client, "/nothing/", 404)) == STUDENT
    Cast(slug="second").student("ada")
    assert links(page(client, "/nothing/", 404)) == ["/", *SITE]


def test_a_stranger_finds_help(cast: Cast) -> None:
    for path in ("/sign-in/", "/help/?course=autodiff", "/nothing/"):
        text = page(Client(), path, 404 if "nothing" in path else 200)
        assert links(text) == SITE
        assert "autodiff" not in text.lower().replace("?course=autodiff", "")


def test_the_page_one_is_on_is_marked(signed: Signed) -> None:
    text = page(signed("ada"), "/help/?course=autodiff")
    assert text.count('aria-current="page"') == 1
    assert '?course=autodiff" aria-current="page">Help' in text
