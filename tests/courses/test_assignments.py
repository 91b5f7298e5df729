"""Exercises are assigned together or not at all, removing one keeps its submissions, and concurrent edits are detected."""

import pytest

from autograder.courses.assignments import assignment_remove, assignment_restore, assignment_update, exercises_assign
from autograder.courses.errors import Conflict, Refused
from autograder.courses.models import Assignment, AuditEntry
from tests.cast import Cast, ahead, version_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast() -> Cast:
    return Cast()


def test_exercises_are_assigned_together_or_not_at_all(cast: Cast) -> None:
    version_of("value-unary")
    with pytest.raises(Refused, match="Autodiff already has the exercise"):
        exercises_assign(course=cast.course, by=cast.staff, exercises=("value-unary", "value-engine"))
    assert cast.course.assignments.count() == 1


def test_assigned_exercises_have_the_same_dates_and_come_last(cast: Cast) -> None:
    version_of("value-unary")
    due = ahead(days=1)
    (made,) = exercises_assign(course=cast.course, by=cast.staff, exercises=("value-unary", "value-unary"), due_at=due)
    assert (made.due_at, made.position) == (due, 2)


def test_what_is_out_already_cannot_be_removed_again(cast: Cast) -> None:
    assignment_remove(assignment=cast.assignment, by=cast.staff)
    with pytest.raises(Refused, match="out of the course already"):
        assignment_remove(assignment=cast.assignment, by=cast.staff)
    assignment_restore(assignment=cast.assignment, by=cast.staff)
    with pytest.raises(Refused, match="in the course already"):
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
