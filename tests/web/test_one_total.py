"""Every page that shows a student's total shows the gradebook's."""

import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from autograder.courses.models import Assignment
from autograder.gradebook.decisions import overrides
from autograder.gradebook.models import UnitRule
from tests.cast import Cast, ago, ahead
from tests.web.conftest import Signed, change, page

pytestmark = pytest.mark.django_db
TOTAL = re.compile(r"<b>(–|[\d.]+ of [\d.]+)</b>\s*(?:total|points|no points)")


@pytest.fixture
def weighted(cast: Cast) -> Cast:
    """Ada has 7 of 10 in a unit with a weight of 90%, and nothing in one of 10% that is not due yet."""
    change(cast, unit="Engine", due_at=ago(days=1))
    more = {"course": cast.course, "version": cast.assignment.version, "unit": "Graphs", "points": 90}
    Assignment.objects.create(slug="graphs", title="Graphs", due_at=ahead(days=3), **more)
    UnitRule.objects.create(course=cast.course, unit="Engine", weight=90)
    UnitRule.objects.create(course=cast.course, unit="Graphs", weight=10)
    give(cast, cast.assignment, "7")
    return cast


def give(cast: Cast, assignment: Assignment, points: str) -> None:
    member = cast.membership("ada")
    overrides.override(assignment=assignment, membership=member, points=Decimal(points), reason="Oral.", by=cast.staff)


def totals(cast: Cast, signed: Signed) -> dict[str, str]:
    """Return the total shown on each page, by page name."""
    member, slug = cast.membership("ada"), cast.course.slug
    pages = {
        "home": (signed("ada"), reverse("home", args=(slug,))),
        "grades": (signed("ada"), reverse("grades", args=(slug,))),
        "student": (of_owner(cast), reverse("student", args=(slug, member.pk))),
        "student-grades": (of_owner(cast), reverse("student-grades", args=(slug, member.pk))),
    }
    return {name: said(page(client, address)) for name, (client, address) in pages.items()}


def of_owner(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.owner)
    return client


def said(text: str) -> str:
    found = TOTAL.search(text)
    assert found, text[:3000]
    return re.sub(r"\.00\b", "", found[1])


@pytest.mark.parametrize(
    ("happens", "total"),
    [
        (lambda cast: None, "70 of 100"),
        (lambda cast: give(cast, cast.course.assignments.get(slug="graphs"), "0"), "63 of 100"),
        (lambda cast: Assignment.objects.filter(slug="graphs").update(due_at=ago(days=1)), "63 of 100"),
        (lambda cast: UnitRule.objects.all().delete(), "7 of 10"),
    ],
    ids=["so far", "both graded", "missing", "without weights"],
)
def test_every_page_shows_the_total_of_the_gradebook(
    weighted: Cast, signed: Signed, happens: Callable[[Cast], object], total: str
) -> None:
    happens(weighted)
    assert set(totals(weighted, signed).values()) == {total}
    assert total.split()[0] in page(of_owner(weighted), reverse("gradebook", args=(weighted.course.slug,)))


def test_the_lowest_is_left_out_on_every_page(weighted: Cast, signed: Signed) -> None:
    more = {"course": weighted.course, "version": weighted.assignment.version, "unit": "Engine", "points": 10}
    give(weighted, Assignment.objects.create(slug="second", title="Second", **more), "1")
    UnitRule.objects.filter(unit="Engine").update(drop_lowest=1)
    assert set(totals(weighted, signed).values()) == {"70 of 100"}
    assert "Second: dropped (lowest score)" in page(signed("ada"), reverse("grades", args=(weighted.course.slug,)))


def test_points_that_are_held_back_do_not_show_in_the_total_of_the_student(cast: Cast, signed: Signed) -> None:
    """Staff see these points. They do not count as 0 for the student either, because that would reveal them."""
    change(cast, due_at=ago(days=1), show_hidden="never", hidden_meanwhile="nothing")
    cast.hands_in("ada", b"x = 1\n")
    found = totals(cast, signed)
    assert found["home"] == found["grades"] == "–"
    assert found["student"] == found["student-grades"] == "0 of 10"
    words = f"{cast.assignment.title}: left out until its points are shown"
    assert words in page(signed("ada"), reverse("grades", args=(cast.course.slug,)))
