"""The page that opens a unit: its text, its exercises, its concepts, and the ways to it."""

from html import unescape

import pytest
from django.urls import reverse

from autograder.library.models import UnitPage
from tests.cast import Cast, ahead
from tests.web.conftest import Signed, change, checked, grade, page, reported

pytestmark = pytest.mark.django_db


def where(cast: Cast, unit: str = "scalar-engine") -> str:
    return reverse("unit", args=(cast.course.slug, unit))


def test_the_page_lists_the_exercises_and_what_each_teaches(cast: Cast, signed: Signed) -> None:
    text = unescape(page(signed("ada"), where(cast)))
    assert "<h1>Scalar engine</h1>" in text
    assert "What you learn</h2>" in text
    assert reverse("exercise", args=(cast.course.slug, cast.assignment.slug)) in text
    concepts = cast.assignment.exercise_version.page.concepts
    assert concepts and all(f"<b>{concept}</b>" in text for concept in concepts)


def test_a_passed_exercise_is_marked(cast: Cast, signed: Signed) -> None:
    assert "Passed</span>" not in page(signed("ada"), where(cast))
    grade(cast.hands_in("ada", b"x = 1\n"), reported(checked("one")))
    assert "Passed</span>" in page(signed("ada"), where(cast))


def test_an_exercise_that_has_not_opened_is_not_linked(cast: Cast, signed: Signed) -> None:
    change(cast, opens_at=ahead(days=1))
    text = page(signed("ada"), where(cast))
    assert reverse("exercise", args=(cast.course.slug, cast.assignment.slug)) not in text
    assert cast.assignment.title in unescape(text)


def test_the_course_and_the_exercise_lead_to_the_page(cast: Cast, signed: Signed) -> None:
    browser = signed("ada")
    for name, args in (("home", (cast.course.slug,)), ("exercise", (cast.course.slug, cast.assignment.slug))):
        assert f'href="{where(cast)}"' in page(browser, reverse(name, args=args))
    UnitPage.objects.all().delete()
    for name, args in (("home", (cast.course.slug,)), ("exercise", (cast.course.slug, cast.assignment.slug))):
        assert where(cast) not in page(browser, reverse(name, args=args))


def test_units_that_the_course_does_not_use_have_no_page_in_it(cast: Cast, signed: Signed) -> None:
    UnitPage.objects.create(title="Higher order", slug="higher-order", text="<p>x</p>", math=False)
    for unit in ("higher-order", "nothing-of-this-name"):
        assert signed("ada").get(where(cast, unit)).status_code == 404
