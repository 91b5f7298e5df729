"""Several exercises are changed together, and put into another order."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from autograder.courses.models import Assignment, AuditEntry
from autograder.courses.setup.assignments import outside_assignment_create
from tests.cast import Cast
from tests.web.conftest import Signed, page, words

DUE = datetime(2031, 3, 28, 22, 59, tzinfo=UTC)  # Friday 23:59 in Berlin; the clocks change on Sunday


@pytest.fixture
def owner(cast: Cast, signed: Signed) -> Client:
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    cast.assign("value-unary", due_at=DUE, closes_at=None)
    Assignment.objects.update(due_at=DUE, opens_at=None)
    return signed(cast.owner.username)


def address(cast: Cast, name: str = "edit-exercises") -> str:
    return reverse(name, args=(cast.course.slug,))


def sent(*slugs: str, **fields: object) -> dict[str, object]:
    editions = {f"edition-{one.slug}": one.edition for one in Assignment.objects.filter(slug__in=slugs)}
    return {"a": slugs, **editions, **fields}


def test_dates_and_credit_of_the_ticked_exercises_change(cast: Cast, owner: Client) -> None:
    given = sent("value-engine", "value-unary", days="7", late_share="90", late_floor="50")
    plan = words(owner.post(address(cast, "edit-exercises-plan"), given).content.decode())
    assert "Due: Fri 28 Mar 2031, 23:59 → Fri 4 Apr 2031, 23:59" in plan
    assert "Credit for late submissions (%): 100% → 90%" in plan
    assert set(Assignment.objects.values_list("due_at", flat=True)) == {DUE}

    answer = owner.post(address(cast), given, follow=True)
    assert "2 exercises were changed." in words(answer.content.decode())
    for one in Assignment.objects.all():
        assert (one.due_at, one.opens_at) == (datetime(2031, 4, 4, 21, 59, tzinfo=UTC), None), "the same time of day"
        assert (one.late_share, one.late_per_day, one.late_floor) == (Decimal("0.9"), Decimal(0), Decimal("0.5"))
        assert one.edition == 2
    assert AuditEntry.objects.filter(action="assignment-changed").count() == 2


def test_others_do_not_change(cast: Cast, owner: Client) -> None:
    owner.post(address(cast), sent("value-unary", days="-7"))
    assert Assignment.objects.get(slug="value-engine").due_at == DUE
    assert Assignment.objects.get(slug="value-unary").due_at == datetime(2031, 3, 21, 22, 59, tzinfo=UTC)


def test_an_empty_form_changes_nothing(cast: Cast, owner: Client) -> None:
    answer = owner.post(address(cast), sent("value-unary"), follow=True)
    assert "Nothing was changed." in words(answer.content.decode())
    assert set(Assignment.objects.values_list("edition", flat=True)) == {1}


def test_work_graded_outside_is_moved_and_keeps_its_credit(cast: Cast, owner: Client) -> None:
    exam = outside_assignment_create(course=cast.course, by=cast.staff, title="Exam", points=Decimal(5), due_at=DUE)
    owner.post(address(cast), sent(exam.slug, "value-unary", days="7", late_share="50"))
    exam.refresh_from_db()
    assert (exam.due_at, exam.late_share) == (datetime(2031, 4, 4, 21, 59, tzinfo=UTC), Decimal(1))


@pytest.mark.parametrize(
    ("wrong", "field", "said"),
    [
        ({"late_share": "20", "late_floor": "30"}, "late_floor", "The minimum"),
        ({"days": "5000"}, "days", "Ensure this value is less than or equal to 3660."),
    ],
)
def test_if_one_cannot_be_changed_none_is(cast: Cast, owner: Client, wrong: dict[str, str], field: str, said: str) -> None:
    answer = owner.post(address(cast), sent("value-engine", "value-unary", **wrong)).content.decode()
    assert said in words(answer)
    assert f'id="id_{field}_error"' in answer
    assert set(Assignment.objects.values_list("edition", flat=True)) == {1}


def test_what_somebody_else_changed_is_said_and_a_second_press_saves(cast: Cast, owner: Client) -> None:
    given = sent("value-engine", "value-unary", days="7")
    Assignment.objects.filter(slug="value-unary").update(edition=2)
    answer = owner.post(address(cast), given).content.decode()
    assert "Another person changed" in answer
    assert set(Assignment.objects.values_list("due_at", flat=True)) == {DUE}, "both or none"
    owner.post(address(cast), sent("value-engine", "value-unary", days="7"))
    assert DUE not in Assignment.objects.values_list("due_at", flat=True)


def test_nothing_ticked_is_said(cast: Cast, owner: Client) -> None:
    answer = owner.get(address(cast), {"a": ["nothing-like-it", "nul\0"]}, follow=True)
    assert "Tick the exercises that you want to change." in words(answer.content.decode())


def test_the_form_names_the_ticked_exercises(cast: Cast, owner: Client) -> None:
    shown = page(owner, address(cast) + "?a=value-unary")
    assert "Change 1 exercise" in words(shown)
    assert 'name="edition-value-unary"' in shown
    assert "value-engine" not in shown.partition("<main")[2]


# -- the order


def order(cast: Cast) -> list[str]:
    return list(cast.course.assignments.filter(removed_at=None).order_by("position", "id").values_list("slug", flat=True))


def test_the_order_of_the_page_is_saved(cast: Cast, owner: Client) -> None:
    assert order(cast) == ["value-engine", "value-unary"]
    answer = owner.post(address(cast, "order-exercises"), {"assignment": ["value-unary", "value-engine"]})
    assert answer.content.decode() == "The order was saved."
    assert order(cast) == ["value-unary", "value-engine"]
    owner.post(address(cast, "order-exercises"), {"assignment": ["value-unary", "value-engine"]})
    assert AuditEntry.objects.filter(action="exercises-ordered").count() == 1, "the second time nothing changes"
    assert "changed the order of the exercises of" in words(page(owner, address(cast, "course-history")))


@pytest.mark.parametrize(
    "slugs", [[], ["value-engine"], ["value-engine", "value-engine"], ["value-engine", "value-unary", "another"]]
)
def test_an_order_of_other_exercises_is_refused(cast: Cast, owner: Client, slugs: list[str]) -> None:
    answer = owner.post(address(cast, "order-exercises"), {"assignment": slugs})
    assert answer.status_code == 409
    assert "The exercises of the course changed in the meantime." in answer.content.decode()
    assert order(cast) == ["value-engine", "value-unary"]
