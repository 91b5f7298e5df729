"""Exercises are assigned together or not at all, removing one keeps its submissions, and concurrent edits are detected."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from autograder.courses.errors import AtField, Conflict, Refused
from autograder.courses.models import Assignment, AuditEntry
from autograder.courses.rights import OPERATOR
from autograder.courses.setup.assignments import (
    assignment_create,
    assignment_remove,
    assignment_restore,
    assignment_update,
    assignments_order,
    exercises_assign,
    outside_assignment_create,
)
from autograder.courses.setup.dates import Dates
from tests.cast import Cast, ahead, version_of
from tests.courses.builders import last_entry, new_assignment, new_course

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return Cast()


def test_exercises_are_assigned_together_or_not_at_all(cast: Cast) -> None:
    version_of("value-unary")
    with pytest.raises(Refused, match="Autodiff already has the exercise"):
        exercises_assign(course=cast.course, by=cast.staff, exercises={"value-unary": Dates(), "value-engine": Dates()})
    assert cast.course.assignments.count() == 1


def test_assigned_exercises_have_their_dates_and_come_last(cast: Cast) -> None:
    version_of("value-unary")
    due = ahead(days=1)
    dates = {"value-unary": Dates(due_at=due)}
    (made,) = exercises_assign(course=cast.course, by=cast.staff, exercises=dates, late_share=Decimal("0.5"))
    assert (made.due_at, made.late_share, made.position) == (due, Decimal("0.5"), 2)


def test_what_is_out_already_cannot_be_removed_again(cast: Cast) -> None:
    assignment_remove(assignment=cast.assignment, by=cast.staff)
    with pytest.raises(Refused, match="already been removed from the course"):
        assignment_remove(assignment=cast.assignment, by=cast.staff)
    assignment_restore(assignment=cast.assignment, by=cast.staff)
    with pytest.raises(Refused, match="already been restored to the course"):
        assignment_restore(assignment=cast.assignment, by=cast.staff)
    assert list(AuditEntry.objects.values_list("action", flat=True)) == ["assignment-back", "assignment-removed"]


def change(cast: Cast, edition: int | None, title: str) -> Assignment:
    return assignment_update(assignment=cast.assignment, by=cast.staff, edition=edition, title=title)


def test_a_change_of_another_edition_is_a_conflict_that_carries_what_stands(cast: Cast) -> None:
    assert change(cast, 1, "First").edition == 2
    with pytest.raises(Conflict) as conflict:
        change(cast, 1, "Second")
    stands = conflict.value.stands
    assert isinstance(stands, Assignment)
    assert (stands.title, stands.edition) == ("First", 2)
    assert Assignment.objects.get().title == "First"


def test_without_an_edition_whatever_stands_is_changed(cast: Cast) -> None:
    change(cast, 1, "First")
    assert change(cast, None, "Second").title == "Second"


def test_an_exercise_that_is_removed_meanwhile_is_another_edition(cast: Cast) -> None:
    assignment_remove(assignment=cast.assignment, by=cast.staff)
    with pytest.raises(Conflict):
        change(cast, 1, "Late")


def test_what_is_not_said_is_as_the_exercise_says() -> None:
    assignment = new_assignment(new_course())
    assert (assignment.slug, assignment.title) == ("value-engine", "A scalar engine: addition and multiplication")
    assert (assignment.unit, assignment.points) == (assignment.exercise_version.unit, Decimal(10))


def test_assignments_stand_in_the_order_they_were_made() -> None:
    course = new_course()
    names = [new_assignment(course, slug=slug).slug for slug in ("b", "a", "c")]
    assert list(course.assignments.values_list("slug", flat=True)) == names


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"opens_at": ahead(days=2), "due_at": ahead(days=1)}, "is due .* before it opens"),
        ({"due_at": ahead(days=2), "closes_at": ahead(days=1)}, "closes .* before it is due"),
        ({"opens_at": ahead(days=2), "closes_at": ahead(days=1)}, "closes .* before it opens"),
        ({"due_at": ahead(days=1).replace(tzinfo=None)}, "needs a time zone"),
        ({"late_share": Decimal("1.5")}, "must be between 0 and 1, not 1.5"),
        ({"policy": "worst"}, "no policy 'worst'. The policies are: best, last"),
        ({"due_at": ahead(days=1).replace(year=1, month=1, day=1)}, "is due in the year 1. Check the date"),
        ({"points": Decimal(0)}, "more than 0 points"),
        ({"points": Decimal("0.001")}, "at most two decimals, not 0.001"),
        ({"points": Decimal(100_000)}, "at most 99999.99 points"),
        ({"attempt_limit": 0}, "at least 1 submission"),
        ({"cool_down": timedelta(minutes=-1)}, "cannot be negative"),
        ({"show_hidden": "sometimes"}, "'sometimes' is not a choice for when hidden results are shown"),
        ({"slug": "no slug"}, "cannot be part of a URL"),
    ],
)
def test_terms_that_make_no_sense(terms: dict[str, Any], words: str) -> None:
    course = new_course()
    with pytest.raises(Refused, match=words):
        new_assignment(course, **terms)
    assert not course.assignments.exists()


def test_two_assignments_of_one_name() -> None:
    course = new_course()
    new_assignment(course)
    with pytest.raises(Refused, match="Autodiff already has the exercise"):
        new_assignment(course)


def test_a_change_is_written_down_with_old_and_new_values() -> None:
    assignment, due = new_assignment(new_course()), ahead(days=1)
    assignment_update(assignment=assignment, by=OPERATOR, due_at=due, policy="last", points=Decimal(10))
    assignment.refresh_from_db()
    assert (assignment.due_at, assignment.policy) == (due, "last")
    assert last_entry().details == {"changes": {"due_at": [None, str(due)], "policy": ["best", "last"]}}


def test_a_change_that_makes_no_sense_changes_nothing() -> None:
    assignment = new_assignment(new_course(), closes_at=ahead(days=1))
    with pytest.raises(Refused, match="before it is due"):
        assignment_update(assignment=assignment, by=OPERATOR, due_at=ahead(days=2), title="New")
    assignment.refresh_from_db()
    assert (assignment.due_at, assignment.title) == (None, "A scalar engine: addition and multiplication")


def test_an_assignment_stays_its_exercise() -> None:
    assignment = new_assignment(new_course())
    with pytest.raises(Refused, match="Assign the other exercise separately"):
        assignment_update(assignment=assignment, by=OPERATOR, version=version_of("value-unary"))


@pytest.mark.parametrize(("field", "value"), [("title", "=1+1"), ("title", " @x"), ("unit", "+1")])
def test_a_title_is_nothing_that_a_spreadsheet_would_run(field: str, value: str) -> None:
    cast = Cast()
    wanted: dict[str, Any] = {field: value}
    with pytest.raises(AtField, match="spreadsheets would treat it as a formula"):
        assignment_update(assignment=cast.assignment, by=cast.staff, **wanted)


def order(cast: Cast) -> list[str]:
    return list(cast.course.assignments.filter(removed_at=None).order_by("position", "id").values_list("slug", flat=True))


def test_a_course_stays_in_curriculum_order(cast: Cast) -> None:
    for slugs in (("vjp-matmul", "graph-walk"), ("value-unary",)):
        for slug in slugs:
            version_of(slug)
        exercises_assign(course=cast.course, by=cast.staff, exercises=dict.fromkeys(slugs, Dates()))
    assert order(cast) == ["value-engine", "value-unary", "graph-walk", "vjp-matmul"]
    outside_assignment_create(course=cast.course, by=cast.staff, title="Exam", points=Decimal(5))
    version_of("accumulate-bug")
    exercises_assign(course=cast.course, by=cast.staff, exercises={"accumulate-bug": Dates()})
    assert order(cast) == ["value-engine", "value-unary", "graph-walk", "accumulate-bug", "vjp-matmul", "exam"]
    made = assignment_create(course=cast.course, version=version_of("value-tanh-relu"), by=cast.staff)
    assert order(cast) == [
        "value-engine", "value-tanh-relu", "value-unary", "graph-walk", "accumulate-bug", "vjp-matmul", "exam",
    ]  # fmt: skip
    assert made.position == 2


def test_an_order_of_ones_own_stays(cast: Cast) -> None:
    for slug in ("vjp-matmul", "value-unary"):
        version_of(slug)
    exercises_assign(course=cast.course, by=cast.staff, exercises={"vjp-matmul": Dates()})
    assignments_order(course=cast.course, by=cast.staff, slugs=["vjp-matmul", "value-engine"])
    exercises_assign(course=cast.course, by=cast.staff, exercises={"value-unary": Dates()})
    assignment_create(course=cast.course, version=version_of("graph-walk"), by=cast.staff)
    assert order(cast) == ["vjp-matmul", "value-engine", "value-unary", "graph-walk"]
