"""Late days of a course: used where they help most, in the order of due dates, and not where staff decided."""

from datetime import timedelta
from decimal import Decimal

import pytest

from autograder.courses.models import Assignment
from autograder.gradebook.decisions.excuses import excuse
from autograder.gradebook.decisions.overrides import override
from autograder.gradebook.grades.scores import score_of, scores_of_course
from autograder.submissions.models import Submission
from tests.cast import Cast, ago
from tests.gradebook.conftest import graded

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(cast: Cast) -> Cast:
    """One late day, and two assignments that lose half of their points with each day; ada was a day late with both."""
    cast.course.late_days = 1
    cast.course.save()
    late = {"late_per_day": Decimal("0.5"), "policy": "last"}
    Assignment.objects.filter(pk=cast.assignment.pk).update(due_at=ago(days=9), **late)
    cast.assignment.refresh_from_db()
    cast.assign("value-unary", due_at=ago(days=5), **late)
    for assignment in cast.course.assignments.all():
        hand_in(cast, assignment, "ada", days_late=0.5)
    return cast


def hand_in(cast: Cast, assignment: Assignment, name: str, days_late: float) -> Submission:
    assert assignment.due_at is not None
    before, cast.assignment = cast.assignment, assignment
    submission = graded(cast, name, 10, at=assignment.due_at + timedelta(days=days_late))
    cast.assignment = before
    return submission


def points(cast: Cast, name: str = "ada") -> list[Decimal | None]:
    """In the assignment that is due first, and in the other."""
    assignments = list(cast.course.assignments.order_by("due_at"))
    member = cast.membership(name)
    alone = [score_of(assignment, member).points for assignment in assignments]
    together = scores_of_course(assignments, [member.pk])
    assert alone == [together[member.pk, assignment.pk].points for assignment in assignments], "asked alone or together"
    return alone


def test_a_day_is_used_where_it_was_due_first(cast: Cast) -> None:
    assert points(cast) == [Decimal(10), Decimal(5)]


def test_a_day_that_an_extension_saves_is_left_for_the_next(cast: Cast) -> None:
    assert cast.assignment.due_at is not None
    later = cast.assignment.due_at + timedelta(days=1)
    cast.assignment.extensions.create(membership=cast.membership("ada"), due_at=later, granted_by=cast.owner)
    assert points(cast) == [Decimal(10), Decimal(10)]


def test_a_day_is_not_used_where_staff_set_the_points(cast: Cast) -> None:
    ada = cast.membership("ada")
    override(assignment=cast.assignment, membership=ada, points=Decimal(7), reason="An oral exam.", by=cast.staff)
    assert points(cast) == [Decimal(7), Decimal(10)]


def test_a_day_is_not_used_where_the_student_is_excused(cast: Cast) -> None:
    excuse(assignment=cast.assignment, membership=cast.membership("ada"), reason="Ill.", by=cast.staff)
    assert points(cast) == [None, Decimal(10)]


def test_a_day_is_not_used_where_the_assignment_allows_none(cast: Cast) -> None:
    Assignment.objects.filter(pk=cast.assignment.pk).update(late_days_limit=0)
    cast.assignment.refresh_from_db()
    assert points(cast) == [Decimal(5), Decimal(10)]


def test_a_day_is_not_used_where_it_changes_nothing(cast: Cast) -> None:
    """The best submission was on time, and the late one is worth no more with the day."""
    Assignment.objects.filter(pk=cast.assignment.pk).update(policy="best")
    cast.assignment.refresh_from_db()
    hand_in(cast, cast.assignment, "ada", days_late=-1)
    assert points(cast) == [Decimal(10), Decimal(10)]


def test_as_few_days_are_used_as_help(cast: Cast) -> None:
    cast.course.late_days = 3
    cast.course.save()
    first, second = cast.course.assignments.order_by("due_at")
    hand_in(cast, first, "ben", days_late=1.5)
    hand_in(cast, second, "ben", days_late=1.5)
    scores = scores_of_course([first, second], [cast.membership("ben").pk])
    assert [(score.points, score.late_days) for score in scores.values()] == [(Decimal(10), 2), (Decimal(5), 1)]
