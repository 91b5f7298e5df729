"""Checks that many students dispute: the threshold, who is notified, and which requests count."""

from decimal import Decimal

import pytest
from django.utils import timezone

from autograder.courses.models import Membership, Role, Section
from autograder.gradebook.decisions.overrides import undo_override
from autograder.gradebook.insights.attention import waiting_for
from autograder.gradebook.models import RegradeRequest
from autograder.gradebook.regrades.disputed_checks import STUDENTS_OF_A_CHECK, STUDENTS_OF_AN_ASSIGNMENT, disputes_of
from autograder.gradebook.regrades.regrade_requests import State, request_answer, request_withdraw
from autograder.library.models import ExerciseVersion
from autograder.submissions import regrades
from tests.cast import Cast, columns
from tests.gradebook.conftest import graded
from tests.gradebook.test_regrade_requests import REPORT, asked, member

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(cast: Cast) -> Membership:
    return member(cast, "ines", Role.INSTRUCTOR)


def disputed(cast: Cast, students: int, check: str = "forward") -> list[RegradeRequest]:
    return [asked(graded(cast, f"student-{n}", 4, report=REPORT), check=check) for n in range(students)]


def told(staff: Membership) -> list[tuple[str, str, int]]:
    return [(one.assignment.slug, one.title, one.students) for one in disputes_of(staff)]


def test_from_three_students_on(cast: Cast, ines: Membership) -> None:
    disputed(cast, STUDENTS_OF_A_CHECK - 1)
    asked(graded(cast, "student-0", 4, report=REPORT), check="forward")  # a second request of the same student
    assert told(ines) == []
    asked(graded(cast, "student-9", 4, report=REPORT), check="forward")
    assert told(ines) == [("value-engine", "Forward pass", STUDENTS_OF_A_CHECK)]


def test_requests_about_other_checks_or_assignments_are_not_added_up(cast: Cast, ines: Membership) -> None:
    first = cast.assignment
    disputed(cast, 2)
    disputed(cast, 2, check="secret")
    cast.assignment = cast.assign("value-unary")
    disputed(cast, STUDENTS_OF_A_CHECK)
    assert told(ines) == [("value-unary", "Forward pass", STUDENTS_OF_A_CHECK)]
    assert disputes_of(ines, first) == []


def test_without_a_check_it_takes_more_students(cast: Cast, ines: Membership) -> None:
    disputed(cast, STUDENTS_OF_AN_ASSIGNMENT - 1, check="")
    assert told(ines) == []
    asked(graded(cast, "one-more", 4, report=REPORT))
    assert told(ines) == [("value-engine", "", STUDENTS_OF_AN_ASSIGNMENT)]


def test_what_was_declined_withdrawn_or_discarded_does_not_count(cast: Cast, ines: Membership) -> None:
    first, second, third = disputed(cast, STUDENTS_OF_A_CHECK)
    again = request_answer(request=first, by=ines, text="You are right.", effect=State.REGRADE)
    assert len(told(ines)) == 1, "an answer with an effect says that the student was right"
    assert again.batch is not None
    regrades.discard(again.batch, by=cast.staff)
    assert told(ines) == []
    asked(graded(cast, "more", 4, report=REPORT), check="forward")
    assert len(told(ines)) == 1
    request_answer(request=second, by=ines, text="No.", effect=State.DECLINED)
    assert told(ines) == []
    asked(graded(cast, "and-more", 4, report=REPORT), check="forward")
    assert len(told(ines)) == 1
    request_withdraw(request=third, by=third.submission.membership)
    assert told(ines) == []


def test_points_that_were_set_count_until_they_are_undone(cast: Cast, ines: Membership) -> None:
    first, *_ = disputed(cast, STUDENTS_OF_A_CHECK)
    request_answer(request=first, by=ines, text="You are right.", effect=State.POINTS, points=Decimal(10))
    assert len(told(ines)) == 1
    undo_override(assignment=cast.assignment, membership=first.submission.membership, by=ines)
    assert told(ines) == []


def test_a_corrected_version_is_not_disputed_any_more(cast: Cast, ines: Membership) -> None:
    disputed(cast, STUDENTS_OF_A_CHECK)
    old = cast.assignment.exercise_version
    given = columns(old, "exercise", "hash", "loaded_at")
    cast.assignment.version = ExerciseVersion.objects.create(exercise=old.exercise, hash="f" * 16, **given)
    cast.assignment.save()
    assert told(ines) == []


def test_removed_students_and_assignments_count_nowhere(cast: Cast, ines: Membership) -> None:
    requests = disputed(cast, STUDENTS_OF_A_CHECK)
    Membership.objects.filter(pk=requests[0].submission.membership_id).update(removed_at=timezone.now())
    assert told(ines) == []
    Membership.objects.filter(pk=requests[0].submission.membership_id).update(removed_at=None)
    cast.assignment.removed_at = timezone.now()
    cast.assignment.save()
    assert told(ines) == []


def test_who_may_regrade_is_told(cast: Cast, ines: Membership) -> None:
    section = Section.objects.create(course=cast.course, name="Mon")
    disputed(cast, STUDENTS_OF_A_CHECK)
    elsewhere = Cast(slug="elsewhere", exercise="value-unary").membership("elsewhere-grace")
    for nobody in (cast.membership("student-0"), member(cast, "ann", Role.ASSISTANT, section), elsewhere):
        assert told(nobody) == []
    assert len(told(ines)) == len(told(cast.membership(cast.owner.username))) == 1


def test_what_waits_for_an_answer(cast: Cast, ines: Membership) -> None:
    assert not waiting_for(ines)
    first, second = disputed(cast, 2)
    waiting = waiting_for(ines)
    assert (waiting.requests, waiting.oldest, list(waiting.disputes)) == (2, first.asked_at, [])
    request_answer(request=first, by=ines, text="No.", effect=State.DECLINED)
    assert waiting_for(ines).oldest == second.asked_at
    section = Section.objects.create(course=cast.course, name="Mon")
    assert not waiting_for(member(cast, "ann", Role.ASSISTANT, section)), "nobody of that section has asked"
