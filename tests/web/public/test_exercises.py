"""Units and exercises for visitors: only if the operator allows it, and never more than the statements."""

import pytest
from django.test import Client
from pytest_django import Settings

from autograder.library.models import ExerciseVersion, UnitPage
from tests.cast import Cast, source_of
from tests.web.conftest import words

pytestmark = pytest.mark.django_db


@pytest.fixture
def unit(cast: Cast) -> UnitPage:
    page = UnitPage.objects.get(title=cast.assignment.exercise_version.unit)
    page.text = "<p>From numbers up.</p>"
    page.save()
    return page


@pytest.fixture
def open_site(settings: Settings, unit: UnitPage) -> Client:
    settings.PUBLIC_EXERCISES = True
    return Client()


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_a_site_shows_its_exercises_to_members_only(cast: Cast, unit: UnitPage) -> None:
    assert cast.assignment.exercise_version.unit == unit.title
    assert "Units and exercises" not in page(Client(), "/")
    assert [Client().get(address).status_code for address in ("/exercises/", "/exercises/scalar-engine/")] == [404, 404]


def test_a_demo_shows_them(cast: Cast, unit: UnitPage, settings: Settings) -> None:
    settings.DEMO_PASSWORD = "shown to everyone"
    assert "Scalar engine" in page(Client(), "/exercises/")


def test_a_visitor_finds_the_statement_from_the_front_page(cast: Cast, open_site: Client) -> None:
    title = cast.assignment.exercise_version.title
    assert 'href="/exercises/scalar-engine/"' in page(open_site, "/")
    assert title in page(open_site, "/exercises/")
    html = page(open_site, "/exercises/scalar-engine/")
    assert "From numbers up." in html and title in html
    assert words(cast.assignment.exercise_version.page.summary) in words(html)


def test_no_code_and_no_checks_are_shown(cast: Cast, open_site: Client) -> None:
    html = page(open_site, "/exercises/scalar-engine/")
    version = cast.assignment.exercise_version
    for name in ("starter", "solution"):
        code = max(source_of(version.exercise.slug, name).decode().splitlines(), key=len)
        assert code.strip() not in html
    assert version.page.checks
    for check in version.page.checks:
        assert check["title"] not in html


def test_what_is_in_no_unit_with_a_page_is_not_shown(cast: Cast, open_site: Client, unit: UnitPage) -> None:
    unit.delete()
    assert open_site.get("/exercises/scalar-engine/").status_code == 404
    assert ExerciseVersion.objects.exists()
    assert cast.assignment.exercise_version.title not in page(open_site, "/exercises/")
