"""The gradebook page: permissions, marks, the calculation of a total, and the number of queries."""

import re
import time
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from autograder.courses import audit
from autograder.courses.models import Extension, Membership, Role, Section, User
from autograder.courses.people.extensions import extension_grant
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.grades.freezing import freeze
from autograder.gradebook.models import UnitRule
from tests.cast import Cast, ago, ahead
from tests.gradebook.conftest import graded
from tests.gradebook.large import large_course
from tests.web.conftest import browser_of, change, member, page

pytestmark = pytest.mark.django_db


def shown(cast: Cast, who: User | None = None, status: int = 200, **query: object) -> str:
    address = reverse("gradebook", args=(cast.course.slug,))
    response = browser_of(who or cast.owner).get(address, {key: str(value) for key, value in query.items()})
    assert response.status_code == status
    return response.getvalue().decode()


def named(cast: Cast, login: str, first: str, last: str) -> Membership:
    cast.student(login)
    User.objects.filter(username=login).update(first_name=first, last_name=last)
    return cast.membership(login)


def names(html: str) -> list[str]:
    """Return the names of the rows, in order."""
    return re.findall(r'<th scope="row"><a[^>]*><bdi>([^<]*)</bdi>', html)


def row(html: str, name: str) -> str:
    """Return the text of a student's row."""
    (cells,) = re.findall(rf"<bdi>{name}</bdi></a></th>(.*?)</tr>", html, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", cells).split())


# -- content


def test_students_by_name_with_their_units_and_totals(cast: Cast) -> None:
    change(cast, unit="Engine", points=Decimal(40), due_at=ago(days=1))
    cast.assign("fn-cubic", position=2, unit="Functions", points=Decimal(20), due_at=ago(days=1))
    graded(cast, "zoe", 7.5, at=ago(days=2))
    named(cast, "zoe", "Zoë", "Zimmer")
    named(cast, "ada", "Ada", "Ali")
    html = shown(cast)
    assert names(html) == ["Ali, Ada", "Zimmer, Zoë"]
    assert row(html, "Zimmer, Zoë") == "30.00 0.00 30.00"
    assert "Engine<small>of 40</small>" in html
    assert "Total</a><small>of 60</small>" in html


def test_weights_and_what_is_left_out_stand_at_the_unit(cast: Cast) -> None:
    change(cast, unit="Engine", due_at=ago(days=1))
    UnitRule.objects.create(course=cast.course, unit="Engine", weight=100, drop_lowest=1)
    graded(cast, "ada", 7.5, at=ago(days=2))
    html = shown(cast)
    assert "Engine<small>of 10 · 100% · lowest dropped</small>" in html
    assert row(html, "ada") == "7.50 75.00"


def test_marks_say_set_late_and_until(cast: Cast) -> None:
    due = ago(days=3)
    change(cast, unit="A", due_at=due)
    other = cast.assign("fn-cubic", position=2, unit="B", due_at=due)
    graded(cast, "ada", 7.5, at=due + timedelta(hours=25))
    until = ahead(days=9)
    extension_grant(assignment=other, membership=cast.membership("ada"), by=cast.staff, reason="Ill.", due_at=until)
    html = shown(cast)
    assert row(html, "ada") == f"late 2 d 7.50 until {until.day} {until:%b} – so far 7.50 of 10"
    override(assignment=cast.assignment, membership=cast.membership("ada"), points=Decimal(9), reason="Oral.", by=cast.staff)
    assert "◆ set late 2 d 9.00" in row(shown(cast), "ada")


def test_more_submissions_are_no_later_date(cast: Cast) -> None:
    change(cast, due_at=ahead(days=3), attempt_limit=2)
    member_ = cast.membership("ada")
    extension_grant(assignment=cast.assignment, membership=member_, by=cast.staff, reason="Ill.", extra_attempts=2)
    assert row(shown(cast), "ada") == "– –"


def test_frozen_it_says_so_and_shows_what_stood(cast: Cast) -> None:
    graded(cast, "ada", 4)
    freeze(course=cast.course, by=cast.staff)
    graded(cast, "ada", 9)
    html = shown(cast)
    assert row(html, "ada") == "4.00 4.00"
    assert "The gradebook is frozen (by" in html


def test_an_empty_course_says_what_is_missing(cast: Cast) -> None:
    assert "No students yet" in shown(cast)
    cast.student("ada")
    cast.assignment.removed_at = ago(days=1)
    cast.assignment.save()
    assert "No exercises have been assigned yet" in shown(cast)


# -- search and order


def test_sorted_by_total_and_backwards(cast: Cast) -> None:
    for login, points in (("ada", 4), ("ben", 9), ("cem", 7)):
        graded(cast, login, points)
    cast.student("dana")
    assert names(shown(cast, sort="total")) == ["dana", "ada", "cem", "ben"]
    assert names(shown(cast, sort="-total")) == ["ben", "cem", "ada", "dana"]
    assert names(shown(cast, sort="-name"))[0] == "dana"
    assert names(shown(cast, sort="nonsense")) == ["ada", "ben", "cem", "dana"]


def test_found_by_any_part_of_the_name(cast: Cast) -> None:
    named(cast, "zoe", "Zoë", "O'Hara")
    named(cast, "ada", "Ada", "Ali")
    assert [names(shown(cast, q=words)) for words in ("hara, zo", "AL", "zoe", "nobody")] == [
        ["O&#x27;Hara, Zoë"],
        ["Ali, Ada"],
        ["O&#x27;Hara, Zoë"],
        [],
    ]


def test_a_section_alone(cast: Cast) -> None:
    section = Section.objects.create(course=cast.course, name="Mon")
    member(cast, "ada", Role.STUDENT, section)
    cast.student("ben")
    assert names(shown(cast, section=section.pk)) == ["ada"]
    shown(cast, section=section.pk + 1, status=404)


def test_an_assistant_of_a_section_sees_that_section_by_no_address_another(cast: Cast) -> None:
    own, other = (Section.objects.create(course=cast.course, name=name) for name in ("Mon", "Tue"))
    member(cast, "ada", Role.STUDENT, own)
    ben = member(cast, "ben", Role.STUDENT, other)
    ann = member(cast, "ann", Role.ASSISTANT, own).user
    assert names(shown(cast, ann)) == ["ada"]
    assert names(shown(cast, ann, sort="total")) == ["ada"]
    assert names(shown(cast, ann, q="ben")) == []
    assert 'id="how"' not in shown(cast, ann, open=ben.pk)
    shown(cast, ann, section=other.pk, status=404)


def test_fifty_to_a_page() -> None:
    course = large_course(students=53, assignments=1, gradings=0)
    cast = Cast(slug="other")
    member(cast, "ines", Role.INSTRUCTOR)
    user = User.objects.get(username="ines")
    Membership.objects.create(course=course, user=user, role=Role.INSTRUCTOR)
    for sort in ("name", "total"):
        pages = [page(browser_of(user), f"{reverse('gradebook', args=('large',))}?sort={sort}&page={n}") for n in (1, 2)]
        found = [name for html in pages for name in names(html)]
        assert (len(names(pages[0])), len(set(found))) == (50, 53)
        assert "1 to 50 of 53 students" in pages[0]


# -- calculation of a total


def test_a_row_opens_with_the_sum_and_who_changed_what(cast: Cast) -> None:
    change(cast, unit="Engine", due_at=ago(days=1), points=Decimal(110))
    UnitRule.objects.create(course=cast.course, unit="Engine", weight=25)
    ada = cast.membership("ada")
    override(assignment=cast.assignment, membership=ada, points=Decimal(104), reason="She explained it.", by=cast.staff)
    override(
        assignment=cast.assignment, membership=cast.membership("xada"), points=Decimal(1), reason="Other.", by=cast.staff
    )
    regraded: dict[str, Any] = {"actor": cast.owner, "course": cast.course, "assignment": cast.assignment}
    audit.record("grade-changed", ada, **regraded, before="6.50", after="8.00", reason="A check was wrong.", overridden=True)
    audit.record("grade-changed", cast.membership("xada"), **regraded, before="1.50", after="2.50", reason="Of another one.")
    html = shown(cast, open=ada.pk)
    assert "How 23.64 is calculated" in html
    assert "104/110 × 25 = 23.64" in html
    assert "She explained it." in html
    assert "none → 104 points" in html
    assert "computed points 6.50 → 8; the score set by hand is kept" in html
    assert "Other." not in html
    assert "Of another one." not in html
    assert html.count('id="how"') == 1


def test_closed_rows_tell_nothing_of_it(cast: Cast) -> None:
    graded(cast, "ada", 4)
    assert 'id="how"' not in shown(cast)
    assert 'id="how"' not in shown(cast, open="²")


# -- queries


def test_a_thousand_by_sixty_asks_little() -> None:
    course = large_course()
    owner = User.objects.create_user("grace")
    Membership.objects.create(course=course, user=owner, role=Role.OWNER)
    some = Membership.objects.filter(course=course, role=Role.STUDENT)[:40]
    assignment = course.assignments.first()
    assert assignment is not None
    Extension.objects.bulk_create(
        Extension(assignment=assignment, membership=one, due_at=ahead(days=2), reason="Ill.", granted_by=owner)
        for one in some
    )
    browser, address = browser_of(owner), reverse("gradebook", args=("large",))
    page(browser, address)
    for query in ("", "?sort=-total", f"?open={some[3].pk}", "?q=hara&page=7"):
        began = time.perf_counter()
        with CaptureQueriesContext(connection) as queries:
            html = page(browser, address + query)
        print(f"gradebook{query}: {time.perf_counter() - began:.2f} s, {len(queries)} queries, {len(html):,} letters")
        assert len(names(html)) == 50
        assert len(queries) < 40
