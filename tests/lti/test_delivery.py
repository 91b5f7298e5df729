"""How scores are sent: what four LMSs accept, in which order, and what becomes of a score that is refused."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone

from autograder.gradebook.decisions import excuses
from autograder.lti.models import LineItem, LmsAccount, OutgoingScore
from autograder.lti.sending import delivery
from autograder.lti.services import tokens
from autograder.submissions.messages import doorbell
from autograder.submissions.models import Grading, Submission
from tests.cast import ago
from tests.lti.connected_course import ConnectedCourse, connected_course, send, time_passes
from tests.lti.platform import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE, Flavour
from tests.lti.platform.vocabulary import CANVAS_SUBMISSION, SCORE_SCOPE

pytestmark = pytest.mark.django_db
State = OutgoingScore.State
FLAVOURS = [MOODLE, CANVAS, BLACKBOARD, BRIGHTSPACE]


@pytest.fixture(autouse=True)
def silent(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.LTI_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    monkeypatch.setattr(doorbell, "ring", lambda: None)
    monkeypatch.setattr(doorbell, "ring_for_regrades", lambda: None)


@pytest.fixture
def moodle(db: None) -> Iterator[ConnectedCourse]:
    with connected_course(MOODLE) as made:
        yield made


@pytest.fixture
def canvas(db: None) -> Iterator[ConnectedCourse]:
    with connected_course(CANVAS) as made:
        yield made


@pytest.fixture(params=FLAVOURS, ids=lambda flavour: flavour.family)
def course(request: pytest.FixtureRequest, db: None) -> Iterator[ConnectedCourse]:
    with connected_course(request.param) as made:
        yield made


def regrade(submission: Submission, points: float) -> None:
    Grading.objects.filter(submission=submission).update(score=points)


def test_every_lms_takes_a_score_and_a_regrade(course: ConnectedCourse) -> None:
    submission = course.graded("ada", 5)
    course.send()
    assert course.result("ada").final_score == 5
    regrade(submission, 8)
    course.send()
    assert course.result("ada").final_score == 8
    assert course.score("ada").state == State.SENT


def test_a_score_says_when_the_work_was_submitted(course: ConnectedCourse) -> None:
    submission = course.graded("ada", 5, ago(days=3))
    course.send()
    (body,) = course.posted("ada")
    at = datetime.fromisoformat(body["submission"]["submittedAt"])
    assert abs(at - submission.submitted_at) < timedelta(seconds=0.001)


def test_timestamps_increase_by_seconds_and_have_an_offset(course: ConnectedCourse) -> None:
    submission = course.graded("ada", 1)
    for points in (2, 3, 4):
        course.send()
        regrade(submission, points)
    course.send()
    times = [body["timestamp"] for body in course.posted("ada")]
    assert all(time.endswith("+00:00") and "." in time for time in times)
    moments = [datetime.fromisoformat(time) for time in times]
    assert len(moments) == 4
    assert all(later - earlier >= timedelta(seconds=1) for earlier, later in pairwise(moments))


def test_a_comment_is_sent_with_every_score(course: ConnectedCourse) -> None:
    submission = course.graded("ada", 5)
    course.send()
    regrade(submission, 6)
    course.send()
    assert course.result("ada").comment == "6 of 10 points for submission 1."


def test_a_withdrawn_score_disappears(course: ConnectedCourse) -> None:
    course.graded("ada", 5)
    course.send()
    excuses.excuse(
        assignment=course.cast.assignment, membership=course.cast.membership("ada"), reason="Ill.", by=course.cast.staff
    )
    course.send()
    assert course.result("ada").final_score is None


# -- Canvas ------------------------------------------------------------------------------------------------------------------


def test_a_regrade_makes_no_new_attempt_and_nothing_late_in_canvas(canvas: ConnectedCourse) -> None:
    canvas.column.due = ago(days=1)
    submission = canvas.graded("ada", 5, ago(days=2))
    canvas.send()
    regrade(submission, 8)
    canvas.send()
    (attempt,) = canvas.result("ada").submissions
    assert abs(attempt.submitted_at - submission.submitted_at) < timedelta(seconds=0.001)
    assert not canvas.column.late(canvas.student("ada").sub)
    assert [body[CANVAS_SUBMISSION]["new_submission"] for body in canvas.posted("ada")] == [True, False]


def test_a_new_submission_is_a_new_attempt_in_canvas(canvas: ConnectedCourse) -> None:
    canvas.graded("ada", 5)
    canvas.send()
    canvas.graded("ada", 8)
    canvas.send()
    assert len(canvas.result("ada").submissions) == 2


@pytest.mark.parametrize("flavour", [MOODLE, CANVAS, BLACKBOARD], ids=lambda flavour: flavour.family)
def test_a_grade_that_an_instructor_entered_stays(flavour: Flavour, db: None) -> None:
    """Brightspace replaces it, and has no way to ask for anything else."""
    with connected_course(flavour) as course:
        submission = course.graded("ada", 5)
        course.send()
        course.platform.override(course.column, course.student("ada"), 9)
        regrade(submission, 6)
        course.send()
        assert course.result("ada").final_score == 9
        assert course.score("ada").state == State.SENT


# -- refused scores ----------------------------------------------------------------------------------------------------------


def test_one_bad_score_stops_no_other(course: ConnectedCourse) -> None:
    for name in ("ada", "bob", "cyd"):
        course.graded(name, 5)
    del course.lms_course.members[course.student("bob").sub]
    course.send()
    assert [course.score(name).state for name in ("ada", "bob", "cyd")] == [State.SENT, State.FAILED, State.SENT]
    assert "enrol" in course.score("bob").trouble.lower()


def test_attempts_that_are_used_up_are_named(canvas: ConnectedCourse) -> None:
    canvas.column.attempts_allowed = 1
    canvas.graded("ada", 5)
    canvas.send()
    canvas.graded("ada", 8)
    canvas.send()
    assert canvas.score("ada").state == State.FAILED
    assert "no further attempts" in canvas.score("ada").trouble


def test_a_failed_score_is_sent_when_it_changes(moodle: ConnectedCourse) -> None:
    moodle.platform.scores_answer(422, "{}")
    submission = moodle.graded("ada", 5)
    moodle.send()
    assert moodle.score("ada").state == State.FAILED
    regrade(submission, 6)
    moodle.send()
    assert (moodle.score("ada").state, moodle.result("ada").final_score) == (State.SENT, 6)


def test_a_deleted_column_is_reported_once_and_not_requested_again(moodle: ConnectedCourse) -> None:
    for name in ("ada", "bob", "cyd"):
        moodle.graded(name, 5)
    del moodle.platform.line_items[moodle.column.id]
    assert moodle.send() == 1
    assert set(OutgoingScore.objects.values_list("state", "trouble")) == {(State.FAILED, delivery.GONE)}
    assert LineItem.objects.get().trouble == delivery.GONE
    moodle.graded("ada", 8)
    assert moodle.send() == 0


def test_an_unlinked_account_is_reported(moodle: ConnectedCourse) -> None:
    moodle.graded("ada", 5)
    moodle.collect()
    LmsAccount.objects.all().delete()
    send(moodle.registration)
    assert (moodle.score("ada").state, moodle.score("ada").trouble) == (State.FAILED, delivery.UNLINKED)


# -- trying again ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [500, 502, 503, 408])
def test_a_platform_that_fails_is_tried_again_with_growing_delays(moodle: ConnectedCourse, status: int) -> None:
    moodle.platform.scores_answer(status, times=3)
    moodle.graded("ada", 5)
    assert moodle.send() == 1
    for minutes in (1, 5, 15):
        score = moodle.score("ada")
        wait = score.try_at - timezone.now()
        assert timedelta(minutes=minutes * 0.95) < wait <= timedelta(minutes=minutes * (1 + delivery.JITTER))
        assert (score.state, str(status) in score.trouble) == (State.WAITING, True)
        assert send(moodle.registration) == 0
        time_passes(score, minutes=minutes * (1 + delivery.JITTER))
        assert send(moodle.registration) == 1
    assert (moodle.score("ada").state, moodle.score("ada").tries) == (State.SENT, 0)


def test_a_connection_that_is_closed_is_tried_again(moodle: ConnectedCourse) -> None:
    moodle.platform.fail(".*/scores", closes=True)
    moodle.graded("ada", 5)
    moodle.send()
    score = moodle.score("ada")
    assert (score.state, "closed the connection" in score.trouble or "cannot be reached" in score.trouble) == (
        State.WAITING,
        True,
    )


@pytest.mark.parametrize("flavour", [MOODLE, CANVAS], ids=lambda flavour: flavour.family)
def test_a_rate_limit_is_no_failure(flavour: Flavour, db: None) -> None:
    with connected_course(flavour) as course:
        course.platform.limit_rate()
        course.graded("ada", 5)
        course.send()
        score = course.score("ada")
        assert (score.state, score.trouble) == (State.WAITING, "The LMS accepts no more requests at the moment.") or (
            flavour is MOODLE and score.trouble == "The LMS could not answer (status 429)."
        )
        if flavour is MOODLE:  # it said when to come back
            assert score.try_at - timezone.now() < timedelta(seconds=2)
        time_passes(score, minutes=2)
        send(course.registration)
        assert course.result("ada").final_score == 5


@pytest.mark.parametrize("flavour", FLAVOURS, ids=lambda flavour: flavour.family)
def test_a_platform_with_a_later_timestamp_gets_a_later_one(flavour: Flavour, db: None) -> None:
    with connected_course(flavour) as course:
        course.graded("ada", 5)
        course.result("ada").timestamp = timezone.now() + timedelta(minutes=3)
        course.collect()
        for _ in range(3):
            send(course.registration)
            time_passes(course.score("ada"), seconds=3)
        assert (course.score("ada").state, course.result("ada").final_score) == (State.SENT, 5)


def test_a_revoked_token_is_replaced(moodle: ConnectedCourse) -> None:
    submission = moodle.graded("ada", 5)
    moodle.send()
    moodle.platform.revoke_tokens()
    regrade(submission, 6)
    moodle.send()
    assert moodle.result("ada").final_score == 6


def test_a_platform_that_forbids_scores_is_named(db: None) -> None:
    without = tuple(scope for scope in tokens.ALL_SCOPES if scope != SCORE_SCOPE)
    with connected_course(MOODLE, scopes=without) as course:
        course.graded("ada", 5)
        course.send()
        score = course.score("ada")
        assert score.state == State.WAITING
        assert score.trouble.startswith("The LMS ")


def test_a_score_is_given_up_after_two_days(moodle: ConnectedCourse) -> None:
    moodle.platform.scores_answer(500, times=2)
    moodle.graded("ada", 5)
    moodle.send()
    OutgoingScore.objects.update(changed_at=ago(days=2, minutes=1), try_at=ago(minutes=1))
    send(moodle.registration)
    assert moodle.score("ada").state == State.FAILED
    assert "given up after two days" in moodle.score("ada").trouble


# -- order -------------------------------------------------------------------------------------------------------------------


def claimed(course: ConnectedCourse) -> delivery.ScoreClaim:
    (score,) = delivery.next_scores(course.registration.pk, 1)
    claim = delivery.score_claim(score)
    assert claim is not None
    return claim


def test_a_score_that_was_overtaken_while_it_was_sent_is_sent_again(moodle: ConnectedCourse) -> None:
    submission = moodle.graded("ada", 5)
    moodle.collect()
    claim = claimed(moodle)
    regrade(submission, 8)
    moodle.collect()
    delivery.score_send(claim)
    assert (moodle.score("ada").state, moodle.score("ada").sent_sequence) == (State.WAITING, 1)
    send(moodle.registration)
    assert [body["scoreGiven"] for body in moodle.posted("ada")] == [5, 8]
    assert (moodle.score("ada").state, moodle.score("ada").sent_sequence) == (State.SENT, 2)


def test_nothing_newer_is_sent_while_an_older_score_is_on_its_way(moodle: ConnectedCourse) -> None:
    submission = moodle.graded("ada", 5)
    moodle.collect()
    claimed(moodle)
    regrade(submission, 8)
    moodle.collect()
    assert send(moodle.registration) == 0


def test_an_overtaken_score_that_is_refused_does_not_fail(moodle: ConnectedCourse) -> None:
    submission = moodle.graded("ada", 5)
    moodle.collect()
    claim = claimed(moodle)
    regrade(submission, 8)
    moodle.collect()
    moodle.platform.scores_answer(422, "{}")
    delivery.score_send(claim)
    assert moodle.score("ada").state == State.WAITING
    send(moodle.registration)
    assert moodle.result("ada").final_score == 8


def test_a_score_of_somebody_who_left_stops_no_other(moodle: ConnectedCourse) -> None:
    moodle.graded("ada", 5)
    moodle.graded("ben", 7)
    moodle.collect()
    moodle.platform.scores_answer(403, "{}")
    send(moodle.registration)
    states = {name: moodle.score(name) for name in ("ada", "ben")}
    assert sorted(score.state for score in states.values()) == [State.FAILED, State.SENT]
    (failed,) = (score for score in states.values() if score.state == State.FAILED)
    assert "no longer a student" in failed.trouble


def test_of_two_processes_one_gets_a_score(moodle: ConnectedCourse) -> None:
    moodle.graded("ada", 5)
    moodle.collect()
    (first,), (second,) = (delivery.next_scores(moodle.registration.pk, 1) for _ in range(2))
    assert delivery.score_claim(first) is not None
    assert delivery.score_claim(second) is None


def test_a_score_whose_sender_died_is_sent_after_its_lease(moodle: ConnectedCourse) -> None:
    moodle.graded("ada", 5)
    moodle.collect()
    dead = claimed(moodle)
    time_passes(moodle.score("ada"), seconds=delivery.LEASE.total_seconds())
    assert send(moodle.registration) == 1
    assert moodle.result("ada").final_score == 5
    delivery._sent(dead)  # it was not dead, but slow: too late to say anything
    assert moodle.score("ada").last_timestamp != dead.timestamp
    assert moodle.score("ada").state == State.SENT
