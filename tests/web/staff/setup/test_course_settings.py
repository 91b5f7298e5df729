"""The course settings: errors at their fields, and the latest changes on the page."""

from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.urls import reverse

from autograder.courses.models import Course, Membership, Role, User
from autograder.gradebook.grades import freezing, unit_rules
from autograder.gradebook.grades.unit_rules import NewUnitRule
from autograder.gradebook.models import UnitRule
from tests.cast import Cast, ahead
from tests.web.conftest import Signed, browser_of, member, page, words

COURSE = {"title": "Backpropagation", "term": "Winter 2026", "time_zone": "Europe/Berlin", "late_days": "0"}


def settings(cast: Cast) -> str:
    return reverse("settings", args=(cast.course.slug,))


def said(cast: Cast, signed: Signed, **sent: Any) -> str:
    """Return the page after a POST as the owner, following redirects."""
    return signed(cast.owner.username).post(settings(cast), sent, follow=True).content.decode()


@pytest.fixture
def units(cast: Cast) -> Cast:
    cast.assignment.unit = "Scalars"
    cast.assignment.save()
    cast.assign("value-unary", unit="Scalars", position=2)
    cast.assign("value-tanh-relu", unit="Functions", position=3)
    return cast


def weights(cast: Cast, signed: Signed, *rows: tuple[str, str, str]) -> str:
    """Save unit rules. Each row: a unit, its weight, and the number of dropped exercises."""
    numbered = {f"weight_{n}": weight for n, (_, weight, _) in enumerate(rows)}
    numbered |= {f"drop_{n}": drop for n, (_, _, drop) in enumerate(rows)}
    return said(cast, signed, act="rules", unit=[unit for unit, _, _ in rows], **numbered)


# -- the course


def test_the_course_is_changed_and_the_trail_says_by_whom(cast: Cast, signed: Signed) -> None:
    answer = said(cast, signed, act="course", supersedes="on", **COURSE)
    cast.course.refresh_from_db()
    assert (cast.course.title, cast.course.time_zone, cast.course.supersedes) == ("Backpropagation", "Europe/Berlin", True)
    assert "title: Autodiff → Backpropagation" in answer
    assert "newer submissions replace waiting ones: no → yes" in answer
    assert "autodiff-grace" in answer


def test_what_is_wrong_is_told_at_the_field_and_what_was_typed_stays(cast: Cast, signed: Signed) -> None:
    answer = said(cast, signed, act="course", **COURSE | {"title": "", "term": "Summer"})
    assert 'id="id_title_error"' in answer
    assert 'value="Summer"' in answer
    cast.course.refresh_from_db()
    assert cast.course.title == "Autodiff"


def test_a_section_of_the_same_name_is_refused_at_its_field(cast: Cast, signed: Signed) -> None:
    assert "Section Monday was added." in said(cast, signed, act="section", name="Monday")
    answer = said(cast, signed, act="section", name="Monday")
    assert 'id="id_name_error"' in answer
    assert "A section &#x27;Monday&#x27;" in answer
    assert cast.course.sections.count() == 1


def test_an_instructor_cannot_archive(cast: Cast, signed: Signed) -> None:
    member(cast, "ines", Role.INSTRUCTOR)
    browser = signed("ines")
    assert "Archive course" not in page(browser, settings(cast))
    answer = browser.post(settings(cast), {"act": "archive", "archived": "yes"}, follow=True).content.decode()
    assert "You may not manage this course." in answer
    cast.course.refresh_from_db()
    assert cast.course.archived_at is None


def test_the_owner_archives_and_brings_back(cast: Cast, signed: Signed) -> None:
    assert "This course is archived" in said(cast, signed, act="archive", archived="yes")
    assert "This course is archived" not in said(cast, signed, act="archive", archived="no")


def test_an_assistant_has_no_settings(cast: Cast, signed: Signed) -> None:
    member(cast, "ann", Role.ASSISTANT)
    assert signed("ann").get(settings(cast)).status_code == 404
    assert signed("ann").post(settings(cast), COURSE).status_code == 404


# -- unit rules


def test_weights_that_add_up_are_set(units: Cast, signed: Signed) -> None:
    answer = weights(units, signed, ("Scalars", "60", "1"), ("Functions", "40", "0"))
    assert "The unit weights were saved." in answer
    assert "rules: none → Functions: 40%; Scalars: 60%, lowest 1 dropped" in answer
    assert unit_rules.rules_of(units.course) == [
        NewUnitRule("Scalars", Decimal(60), 1),
        NewUnitRule("Functions", Decimal(40), 0),
    ]


@pytest.mark.parametrize(
    ("scalars", "functions", "field", "words"),
    [
        (("60", "0"), ("30", "0"), "weight_1", "The weights add up to 90; they must add up to 100."),
        (("100", "0"), ("", "0"), "weight_1", "Give every unit a weight, or leave all weights empty."),
        (("-1", "0"), ("101", "0"), "weight_0", "greater than or equal to 0"),
        (("", "2"), ("", "0"), "drop_0", "At most 1 of 2 exercises can be dropped."),
    ],
)
def test_rules_that_cannot_be_are_told_at_the_field(
    units: Cast, signed: Signed, scalars: tuple[str, str], functions: tuple[str, str], field: str, words: str
) -> None:
    answer = weights(units, signed, ("Scalars", *scalars), ("Functions", *functions))
    _, _, after = answer.partition(f'id="id_{field}_error"')
    assert words in after.partition("</p>")[0]
    assert not UnitRule.objects.exists()


def test_units_that_changed_meanwhile_are_not_guessed_about(units: Cast, signed: Signed) -> None:
    answer = weights(units, signed, ("Scalars", "50", "0"), ("Arrays", "50", "0"))
    assert "The units of the course changed in the meantime." in answer
    assert not UnitRule.objects.exists()


def test_without_weights_rules_go_away(units: Cast, signed: Signed) -> None:
    weights(units, signed, ("Scalars", "60", "1"), ("Functions", "40", "0"))
    weights(units, signed, ("Scalars", "", "0"), ("Functions", "", "0"))
    assert not UnitRule.objects.exists()


# -- a new course


def test_who_teaches_makes_a_course_and_owns_it(cast: Cast, signed: Signed) -> None:
    member(cast, "ines", Role.INSTRUCTOR)
    answer = signed("ines").post(reverse("new-course"), COURSE | {"slug": "backprop"})
    assert answer["Location"] == reverse("overview", args=("backprop",))
    assert Membership.objects.get(course__slug="backprop").role == Role.OWNER


@pytest.mark.parametrize(
    ("slug", "said"),
    [
        ("autodiff", "A course 'autodiff' already exists."),
        ("new", "'new' is reserved for another page. Choose a different name."),
        ("two words", "Use letters a to z, digits, dashes and underscores only, such as autodiff-2026."),
    ],
)
def test_a_name_that_cannot_be_is_told_at_its_field(cast: Cast, signed: Signed, slug: str, said: str) -> None:
    answer = signed(cast.owner.username).post(reverse("new-course"), COURSE | {"slug": slug}).content.decode()
    assert said in unescape(answer.partition('id="id_slug_error"')[2].partition("</")[0])
    assert Course.objects.count() == 1


@pytest.mark.parametrize("role", [Role.STUDENT, Role.ASSISTANT])
def test_who_does_not_teach_makes_no_course(cast: Cast, signed: Signed, role: Role) -> None:
    member(cast, "ann", role)
    assert signed("ann").get(reverse("new-course")).status_code == 404
    assert signed("ann").post(reverse("new-course"), COURSE | {"slug": "mine"}).status_code == 404


def test_the_staff_of_the_site_make_the_first_course(cast: Cast) -> None:
    admin = cast.student("root")
    admin.is_staff = True
    admin.save()
    Membership.objects.filter(user=admin).delete()
    assert reverse("new-course") in page(browser_of(admin), "/")
    assert browser_of(admin).get(reverse("new-course")).status_code == 200
    assert reverse("new-course") not in page(browser_of(User.objects.create_user("nobody")), "/")


def test_a_copy_has_the_rules_of_units_and_later_dates(units: Cast, signed: Signed) -> None:
    units.assignment.due_at = ahead(days=1)
    units.assignment.explain_hidden = False
    units.assignment.save()
    weights(units, signed, ("Scalars", "60", "1"), ("Functions", "40", "0"))
    sent = {"title": "Again", "slug": "again", "days": "364", "newest": "on"}
    answer = signed(units.owner.username).post(reverse("copy-course", args=(units.course.slug,)), sent)
    copy = Course.objects.get(slug="again")
    assert answer["Location"] == reverse("exercises", args=("again",))
    copied = copy.assignments.get(slug="value-engine")
    due_at = copied.due_at
    assert not copied.explain_hidden
    assert due_at is not None and (due_at - units.assignment.due_at).days == 364
    assert unit_rules.rules_of(copy) == unit_rules.rules_of(units.course)


def test_a_copy_that_cannot_be_is_told_at_its_field(cast: Cast, signed: Signed) -> None:
    sent = {"title": "Again", "slug": cast.course.slug, "days": "364"}
    answer = signed(cast.owner.username).post(reverse("copy-course", args=(cast.course.slug,)), sent).content.decode()
    assert 'id="id_slug_error"' in answer


def test_frozen_the_rules_are_read_and_not_changed(units: Cast, signed: Signed) -> None:
    weights(units, signed, ("Scalars", "60", "1"), ("Functions", "40", "0"))
    assert "Save weights" in page(signed(units.owner.username), settings(units))
    freezing.freeze(course=units.course, by=units.staff)
    html = page(signed(units.owner.username), settings(units))
    assert 'value="rules"' not in html
    assert "Scalars 60 1 Functions 40 0" in words(html)
    assert words(html).count("The gradebook is frozen (by") == 1
    assert "Unit weights cannot be changed now" in weights(units, signed, ("Scalars", "50", "0"), ("Functions", "50", "0"))
