"""The pages for extending a deadline for several students and for freezing the gradebook."""

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from django.urls import reverse

from autograder.courses.models import Extension, Role, Section
from autograder.gradebook.grades.freezing import freeze, unfreeze
from autograder.gradebook.models import Freeze
from tests.cast import Cast
from tests.gradebook.conftest import graded
from tests.web.conftest import browser_of, change, checked, member, page, reported, words

pytestmark = pytest.mark.django_db


def extend(cast: Cast, **fields: object) -> str:
    given = {"assignment": cast.assignment.pk, "due_at": "2031-07-01T23:59", "reason": "The lab was closed."} | fields
    given["extra_attempts"] = "0"
    address = reverse("bulk-extensions", args=(cast.course.slug,))
    response = browser_of(cast.owner).post(address, {name: value for name, value in given.items() if value}, follow=True)
    return str(response.content.decode())


def extended() -> set[str]:
    return set(Extension.objects.values_list("membership__user__username", flat=True))


def test_a_section_and_some_more_are_extended(cast: Cast) -> None:
    section = Section.objects.create(course=cast.course, name="Mon")
    for login in ("ada", "ben"):
        member(cast, login, Role.STUDENT, section)
    cast.student("dana")
    html = extend(cast, section=section.pk, students=[cast.membership("cem").pk, cast.membership("ada").pk])
    assert "extension granted to 3 students" in html
    assert extended() == {"ada", "ben", "cem"}


def test_nobody_or_nothing_is_said_at_the_field(cast: Cast) -> None:
    assert "Select students, or choose a section." in extend(cast)
    ada = cast.membership("ada").pk
    assert "Grant a later date, or more submissions." in extend(cast, students=[ada], due_at="")
    assert "The closing date is before the due date." in extend(cast, students=[ada], closes_at="2031-06-01T00:00")
    assert not extended()


def test_students_of_other_courses_cannot_be_ticked(cast: Cast) -> None:
    elsewhere = Cast(slug="elsewhere", exercise="value-unary").membership("mallory")
    assert "is not one of the available choices" in extend(cast, students=[elsewhere.pk])
    assert not extended()


def test_it_is_frozen_and_opened_again(cast: Cast) -> None:
    graded(cast, "ada", 4)
    browser, address = browser_of(cast.owner), reverse("freeze", args=(cast.course.slug,))
    assert "The points of 1 student in 1 exercise are kept" in page(browser, address)
    assert "These points will not change." in browser.post(address, {"do": "freeze"}, follow=True).content.decode()
    assert "Unfreeze the gradebook" in page(browser, address)
    again = browser.post(address, {"do": "freeze"}, follow=True).content.decode()
    assert "cannot be frozen twice" in again
    browser.post(address, {"do": "unfreeze"})
    assert Freeze.objects.get().lifted_by == cast.owner


def test_students_read_what_stood_when_it_was_frozen(cast: Cast) -> None:
    graded(cast, "ada", 4)
    browser_of(cast.owner).post(reverse("freeze", args=(cast.course.slug,)), {"do": "freeze"})
    graded(cast, "ada", 9)
    html = page(browser_of(cast.student("ada")), reverse("grades", args=(cast.course.slug,)))
    assert "4 of 10" in html
    assert "9 of 10" not in html
    assert "Frozen by your instructor" in html


EMPTY: dict[str, Any] = {"report": msgspec.to_builtins(reported(checked("forward")))}
NOTE = "The gradebook is frozen with 4 of 10 points for this exercise. New results do not change it."


def test_beside_a_result_stands_what_the_frozen_gradebook_has(cast: Cast) -> None:
    first = graded(cast, "ada", 4, **EMPTY)
    ada, owner = browser_of(cast.student("ada")), browser_of(cast.owner)
    own = {name: reverse(name, args=(cast.course.slug, cast.assignment.slug)) for name in ("exercise", "history")}
    freeze(course=cast.course, by=cast.staff)
    for name, where in own.items():
        assert NOTE not in words(page(ada, where)), f"{name}: nothing differs yet"
    later = graded(cast, "ada", 9, **EMPTY)
    for number in (first.pk, later.pk):
        assert NOTE in words(page(ada, own["exercise"] + f"?s={number}"))
        assert NOTE in words(page(ada, reverse("outcome", args=(number,))))
        staff = reverse("submission", args=(cast.course.slug, number))
        assert NOTE in words(page(owner, staff))
        assert NOTE in words(page(owner, staff + "?as=student"))
        assert "4 of 10 grade, frozen" in words(page(owner, staff))
    html = page(ada, own["history"])
    assert NOTE in words(html)
    assert "best, counts" not in html
    unfreeze(course=cast.course, by=cast.staff)
    assert NOTE not in words(page(ada, own["exercise"]))


def test_an_exercise_that_is_worth_more_since_the_freeze_differs_too(cast: Cast) -> None:
    submission = graded(cast, "ada", 0, **EMPTY)
    freeze(course=cast.course, by=cast.staff)
    cast.assignment.points = Decimal(20)
    cast.assignment.save()
    note = "The gradebook is frozen with 0 of 10 points for this exercise."
    assert note in words(page(browser_of(cast.owner), reverse("submission", args=(cast.course.slug, submission.pk))))


def test_points_that_are_not_shown_yet_are_not_in_the_note(cast: Cast) -> None:
    change(cast, show_hidden="never", hidden_meanwhile="nothing")
    graded(cast, "ada", 4, **EMPTY)
    freeze(course=cast.course, by=cast.staff)
    later = graded(cast, "ada", 9, **EMPTY)
    ada, owner = browser_of(cast.student("ada")), browser_of(cast.owner)
    staff = reverse("submission", args=(cast.course.slug, later.pk))
    assert NOTE in words(page(owner, staff))
    for browser, where in (
        (ada, reverse("exercise", args=(cast.course.slug, cast.assignment.slug))),
        (ada, reverse("history", args=(cast.course.slug, cast.assignment.slug))),
        (owner, staff + "?as=student"),
    ):
        assert "The gradebook is frozen with" not in words(page(browser, where))
