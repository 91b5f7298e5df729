"""The scores that an LMS should have: they come from the gradebook, and tell nothing that a student may not know yet."""

import json
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from autograder.courses.models import HiddenMeanwhile, Membership, ShowHidden
from autograder.gradebook.decisions import criteria, excuses, marking, overrides
from autograder.gradebook.grades import freezing
from autograder.lti.models import Context, LineItem, LmsAccount, OutgoingScore
from autograder.lti.sending.changes import contexts_changed
from autograder.lti.sending.scores import scores_collect
from autograder.submissions.messages import doorbell
from autograder.submissions.models import UNREADABLE, Grading, Submission, Work
from tests.cast import Cast, ago, ahead
from tests.gradebook.conftest import add_grading, graded
from tests.gradebook.large import large_course
from tests.lti.connected_course import ConnectedCourse, collect, connected_course

pytestmark = pytest.mark.django_db
HELD: dict[str, Any] = {"show_hidden": ShowHidden.AFTER_DUE, "hidden_meanwhile": HiddenMeanwhile.NOTHING}


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    monkeypatch.setattr(doorbell, "ring_for_regrades", lambda: None)


@pytest.fixture
def course(db: None) -> Iterator[ConnectedCourse]:
    with connected_course() as made:
        yield made


def change(course: ConnectedCourse, **settings: Any) -> None:
    for name, value in settings.items():
        setattr(course.cast.assignment, name, value)
    course.cast.assignment.save()


def queued(course: ConnectedCourse, name: str = "ada") -> tuple[Any, ...]:
    score = course.score(name)
    return score.activity, score.grading, score.points


def test_a_graded_submission_is_a_final_score(course: ConnectedCourse) -> None:
    submission = course.graded("ada", 7.5)
    course.collect()
    score = course.score("ada")
    assert queued(course) == ("Completed", "FullyGraded", Decimal("7.50"))
    assert (score.maximum, score.submissions) == (Decimal(10), 1)
    assert score.submitted_at == submission.submitted_at
    assert score.comment == "7.5 of 10 points for submission 1."


def test_a_syntax_error_is_no_submission(course: ConnectedCourse) -> None:
    course.graded("ada", 0, verdict=UNREADABLE)
    course.collect()
    assert not OutgoingScore.objects.exists()
    course.graded("ada", 7.5)
    course.collect()
    assert (course.score("ada").submissions, course.score("ada").comment) == (1, "7.5 of 10 points for submission 1.")


def test_a_submission_that_waits_is_submitted_and_pending(course: ConnectedCourse) -> None:
    course.student("ada")
    submission = course.cast.hands_in("ada")
    course.collect()
    assert queued(course) == ("Submitted", "Pending", None)
    assert course.score("ada").submitted_at == submission.submitted_at


def test_an_earlier_score_stays_while_a_new_submission_waits(course: ConnectedCourse) -> None:
    course.graded("ada", 4)
    course.collect()
    before = course.score("ada")
    course.cast.hands_in("ada", b"x = 2\n")
    assert course.collect() == 0
    assert course.score("ada").sequence == before.sequence


def test_an_internal_error_is_submitted_and_failed(course: ConnectedCourse) -> None:
    course.student("ada")
    submission = course.cast.hands_in("ada")
    submission.work.update(state=Work.State.FAILED, ended_at=timezone.now())
    course.collect()
    assert queued(course) == ("Submitted", "Failed", None)


def test_work_that_waits_for_marks_has_no_points_yet(course: ConnectedCourse) -> None:
    submission = course.graded("ada", 8)
    criteria.criteria_set(
        assignment=course.cast.assignment, by=course.cast.staff, criteria=[criteria.NewCriterion("Style", Decimal(2))]
    )
    course.collect()
    assert queued(course) == ("Completed", "PendingManual", None)
    style = course.cast.assignment.criteria.get()
    submission.assignment.refresh_from_db()
    marking.mark(submission=submission, by=course.cast.staff, points={style.pk: Decimal(1)})
    course.collect()
    assert queued(course) == ("Completed", "FullyGraded", Decimal("7.40"))  # 80% of the 8 points of the checks, and 1


def test_a_late_submission_says_so(course: ConnectedCourse) -> None:
    change(course, due_at=ago(hours=30), late_share=Decimal("0.5"), show_hidden=ShowHidden.ALWAYS)
    course.graded("ada", 8, ago(hours=1))
    course.collect()
    score = course.score("ada")
    assert score.points == 4
    assert score.comment == "4 of 10 points for submission 1, 2 days late: 50% off."


def test_points_are_sent_without_deduction_if_the_lms_applies_lateness(course: ConnectedCourse) -> None:
    change(course, due_at=ago(hours=30), late_share=Decimal("0.5"))
    submission = course.graded("ada", 8, ago(hours=1))
    Context.objects.update(lateness_by_lms=True)
    course.collect()
    score = course.score("ada")
    assert score.points == 8
    assert score.submitted_at == submission.submitted_at
    assert "late" not in score.comment


def test_an_override_replaces_the_points(course: ConnectedCourse) -> None:
    course.graded("ada", 3)
    overrides.override(
        assignment=course.cast.assignment, membership=course.cast.membership("ada"), points=Decimal(9),
        reason="On paper.", by=course.cast.staff,
    )  # fmt: skip
    course.collect()
    assert queued(course) == ("Completed", "FullyGraded", Decimal(9))
    assert course.score("ada").comment == "9 of 10 points, set by hand."


def test_a_frozen_gradebook_is_sent_as_it_was_frozen(course: ConnectedCourse) -> None:
    submission = course.graded("ada", 3)
    freezing.freeze(course=course.cast.course, by=course.cast.staff)
    Grading.objects.filter(submission=submission).update(score=9)
    change(course, points=20)
    course.collect()
    assert (course.score("ada").points, course.score("ada").maximum) == (Decimal(3), Decimal(10))


def test_nothing_is_sent_for_an_excused_student(course: ConnectedCourse) -> None:
    course.graded("ada", 3)
    excused(course, "ada")
    course.collect()
    assert not OutgoingScore.objects.exists()


def test_a_score_that_was_sent_is_withdrawn_if_the_student_is_excused(course: ConnectedCourse) -> None:
    course.graded("ada", 3)
    course.send()
    assert course.result("ada").final_score == 3
    excused(course, "ada")
    course.send()
    assert queued(course) == ("Initialized", "NotReady", None)
    assert course.result("ada").final_score is None


def test_the_score_returns_when_the_excuse_is_withdrawn(course: ConnectedCourse) -> None:
    course.graded("ada", 3)
    course.send()
    excused(course, "ada")
    course.send()
    excuses.withdraw_excuse(
        assignment=course.cast.assignment, membership=course.cast.membership("ada"), by=course.cast.staff
    )
    course.send()
    assert course.result("ada").final_score == 3


def excused(course: ConnectedCourse, name: str) -> None:
    excuses.excuse(
        assignment=course.cast.assignment, membership=course.cast.membership(name), reason="Ill.", by=course.cast.staff
    )


def test_nothing_is_sent_for_a_student_who_never_began(course: ConnectedCourse) -> None:
    change(course, due_at=ago(hours=1))
    course.student("ada")
    course.collect()
    assert not OutgoingScore.objects.exists()


def test_a_zero_is_sent_after_the_due_date_if_asked(course: ConnectedCourse) -> None:
    change(course, due_at=ahead(hours=1))
    course.student("ada")
    Context.objects.update(sends_zeros=True)
    course.collect()
    assert not OutgoingScore.objects.exists()
    change(course, due_at=ago(hours=1))
    course.collect()
    assert queued(course) == ("Initialized", "FullyGraded", Decimal(0))
    assert course.score("ada").comment == "Nothing was submitted by the due date."


def test_students_without_an_account_of_the_lms_are_left_out(course: ConnectedCourse) -> None:
    graded(course.cast, "bob", 5)
    course.graded("ada", 5)
    course.collect()
    assert [score.membership for score in OutgoingScore.objects.all()] == [course.cast.membership("ada")]


def test_only_scores_that_changed_are_queued(course: ConnectedCourse) -> None:
    course.graded("ada", 5)
    course.graded("bob", 6)
    assert course.collect() == 2
    assert course.collect() == 0
    Grading.objects.filter(submission__membership__user__username="bob").update(score=7)
    assert course.collect() == 1
    assert (course.score("ada").sequence, course.score("bob").sequence) == (1, 2)


# -- hidden checks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdicts", [(("failed", 2.0), ("partial", 5.0)), (("passed", 10.0), ("failed", 1.0))], ids=str)
def test_what_is_sent_while_points_are_held_is_the_same_whatever_hidden_checks_say(
    verdicts: tuple[tuple[str, float], ...],
) -> None:
    bodies = [held_body(verdict, points) for verdict, points in verdicts]
    assert bodies[0] == bodies[1]
    assert "scoreGiven" not in bodies[0]


def held_body(verdict: str, points: float) -> str:
    """Return what the platform received about two submissions, of which the first or the second is the better one."""
    cast = Cast(slug=f"held-{verdict}-{points:g}", settings=HELD | {"due_at": ahead(days=1)})
    with connected_course(cast=cast) as course:
        at = datetime.fromisoformat("2026-03-01T12:00:00+00:00")
        course.graded("ada", points, at, verdict=verdict)
        course.graded("ada", 5, at)
        assert course.send() == 1
        (request,) = course.platform.requests_to("/scores")
        body = json.loads(request.body)
        body["timestamp"] = "now"
        body["userId"] = body["userId"].replace(course.student("ada").sub, "ada")
        return json.dumps(body)


def test_a_held_internal_error_looks_like_any_other_submission(course: ConnectedCourse) -> None:
    change(course, **HELD, due_at=ahead(days=1))
    course.student("ada")
    submission = course.cast.hands_in("ada")
    submission.work.update(state=Work.State.FAILED, ended_at=timezone.now())
    course.collect()
    assert queued(course) == ("Submitted", "Pending", None)


def test_a_regrade_of_held_points_sends_nothing(course: ConnectedCourse) -> None:
    change(course, **HELD, due_at=ahead(days=1))
    submission = course.graded("ada", 3)
    course.collect()
    Grading.objects.filter(submission=submission).update(score=9, verdict="partial")
    assert course.collect() == 0


def test_held_points_are_sent_when_the_due_date_has_passed(course: ConnectedCourse) -> None:
    change(course, **HELD, due_at=ahead(hours=1))
    course.graded("ada", 3, ago(hours=2))
    course.collect()
    assert queued(course) == ("Submitted", "Pending", None)
    change(course, due_at=ago(hours=1))
    course.collect()
    assert queued(course) == ("Completed", "FullyGraded", Decimal(3))


def test_points_set_by_hand_are_not_held(course: ConnectedCourse) -> None:
    change(course, **HELD, due_at=ahead(hours=1))
    course.graded("ada", 3)
    overrides.override(
        assignment=course.cast.assignment, membership=course.cast.membership("ada"), points=Decimal(9),
        reason="On paper.", by=course.cast.staff,
    )  # fmt: skip
    course.collect()
    assert queued(course) == ("Completed", "FullyGraded", Decimal(9))


# -- what changed ------------------------------------------------------------------------------------------------------------


def found() -> list[frozenset[int] | None]:
    return [change.members for _, change in contexts_changed()]


def test_a_course_is_looked_at_as_a_whole_first(course: ConnectedCourse) -> None:
    assert found() == [None]


def test_nothing_is_found_while_nothing_happens(course: ConnectedCourse) -> None:
    course.graded("ada", 5)
    collect()
    assert found() == []


def test_a_new_submission_a_new_grading_or_an_override_concerns_one_student(course: ConnectedCourse) -> None:
    course.graded("ada", 5)
    course.graded("bob", 5)
    collect()
    ada = course.cast.membership("ada")
    submission = course.cast.hands_in("ada", b"x = 3\n")
    assert found() == [frozenset({ada.pk})]
    collect()
    assert found() == []
    graded_now(submission)
    assert found() == [frozenset({ada.pk})]
    collect()
    overrides.override(
        assignment=course.cast.assignment, membership=ada, points=Decimal(9), reason="On paper.", by=course.cast.staff
    )
    assert found() == [frozenset({ada.pk})]
    assert collect() == 1


def graded_now(submission: Submission) -> None:
    add_grading(submission, submission.work.get(), 5)


def test_a_change_of_the_course_concerns_everybody(course: ConnectedCourse) -> None:
    collect()
    freezing.freeze(course=course.cast.course, by=course.cast.staff)
    assert found() == [None]


@pytest.mark.parametrize("date", ["due_at", "closes_at", "no_credit_after"])
def test_a_date_that_passes_concerns_everybody(course: ConnectedCourse, date: str) -> None:
    change(course, **{"due_at": ago(days=1), date: ahead(hours=1)})
    collect()
    assert found() == []
    change(course, **{date: timezone.now()})
    assert found() == [None]
    collect()
    assert found() == []


def test_other_courses_change_nothing(course: ConnectedCourse) -> None:
    collect()
    graded(Cast(slug="other", exercise="value-unary"), "eve", 5)
    assert found() == []
    assert Context.objects.get().read_gradings == Grading.objects.get().pk


def test_a_change_that_another_process_collected_is_not_stored_again(course: ConnectedCourse) -> None:
    course.graded("ada", 5)
    (read,) = contexts_changed()
    course.graded("ada", 8)
    assert collect() == 1
    assert scores_collect(*read) == 0
    assert course.score("ada").points == 8


def test_a_removed_assignment_or_an_archived_course_sends_nothing(course: ConnectedCourse) -> None:
    course.graded("ada", 5)
    change(course, removed_at=timezone.now())
    course.collect()
    assert not OutgoingScore.objects.exists()
    change(course, removed_at=None)
    course.cast.course.archived_at = timezone.now()
    course.cast.course.save()
    assert course.collect() == 0


@pytest.mark.parametrize("students", [5, 800])
def test_the_number_of_queries_does_not_depend_on_the_students(course: ConnectedCourse, students: int) -> None:
    large = large_course(students=students, assignments=2)
    context = Context.objects.create(deployment=course.context.deployment, context_id="large", course=large)
    for assignment in large.assignments.all():
        LineItem.objects.create(context=context, assignment=assignment, url=f"https://lms.test/{assignment.slug}")
    LmsAccount.objects.bulk_create(
        LmsAccount(issuer=course.registration.issuer, sub=f"s{pk}", user_id=pk, registration=course.registration)
        for pk in Membership.objects.filter(course=large).values_list("user_id", flat=True)
    )
    changes = {context.pk: change for context, change in contexts_changed()}
    context = Context.objects.select_related("course", "deployment__registration").get(pk=context.pk)
    with CaptureQueriesContext(connection) as queries:
        assert scores_collect(context, changes[context.pk]) == 2 * students
    assert len(without_rows(queries)) <= 15


def without_rows(queries: CaptureQueriesContext) -> list[str]:
    """Return the statements without those that insert rows, which are split by the number of their parameters."""
    return [query["sql"] for query in queries if not query["sql"].startswith("INSERT")]
