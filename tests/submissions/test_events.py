"""The events of a submission, through the database and a real Redis. A failure of the stream never affects the grading."""

import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from autograder.submissions.messages import events
from autograder.submissions.messages.events import SubmissionEvent
from autograder.submissions.models import Event, Submission
from autograder.submissions.work import queue
from tests.cast import Cast
from tests.servers import Redis, redis_server

pytestmark = pytest.mark.django_db
SECONDS = 600.0


@pytest.fixture(autouse=True)
def nothing_connected() -> Iterator[None]:
    events._redis.cache_clear()
    yield
    events._redis.cache_clear()


@pytest.fixture
def submission(cast: Cast) -> Submission:
    made = cast.hands_in("ada")
    Event.objects.all().delete()
    events._redis.cache_clear()  # a test may choose its server after this
    return made


# -- by the database --------------------------------------------------------------------------------------------------------


def test_who_follows_is_told_everything_in_order(submission: Submission) -> None:
    events.tell(submission.pk, "running")
    events.tell(submission.pk, "check", title="product rule", passed=True)
    events.tell(submission.pk, "graded", verdict="passed")
    assert list(events.follow(submission.pk, SECONDS)) == [
        SubmissionEvent("running"),
        SubmissionEvent("check", {"title": "product rule", "passed": True}),
        SubmissionEvent("graded", {"verdict": "passed"}),
    ]


def test_who_follows_is_told_what_comes_later(submission: Submission) -> None:
    told = events.follow(submission.pk, SECONDS)
    events.tell(submission.pk, "running")
    assert next(told) == SubmissionEvent("running")
    events.tell(submission.pk, "graded")
    assert next(told) == SubmissionEvent("graded")


@pytest.mark.parametrize("last", events.FINAL_EVENTS)
def test_the_stream_ends_with_the_last_event(submission: Submission, last: str) -> None:
    events.tell(submission.pk, last)
    events.tell(submission.pk, "too late")
    begun = time.monotonic()
    assert list(events.follow(submission.pk, SECONDS)) == [SubmissionEvent(last)]
    assert time.monotonic() - begun < SECONDS / 2


def test_the_stream_ends_when_its_time_is_up(submission: Submission) -> None:
    events.tell(submission.pk, "running")
    assert list(events.follow(submission.pk, 0.3)) == [SubmissionEvent("running")]


def test_one_submissions_stream_is_no_others(cast: Cast, submission: Submission) -> None:
    events.tell(cast.hands_in("ben").pk, "running")
    assert list(events.follow(submission.pk, 0.1)) == []


def test_what_is_taken_back_is_never_told(submission: Submission) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        events.tell(submission.pk, "graded")
        raise RuntimeError("taken back")
    assert list(events.follow(submission.pk, 0.1)) == []


def test_old_events_are_swept_away_and_new_ones_stay(submission: Submission) -> None:
    for name in ("old", "new"):
        events.tell(submission.pk, name)
    Event.objects.filter(name="old").update(at=timezone.now() - events.RETENTION - timedelta(minutes=1))
    assert events.sweep() == 1
    assert [event.name for event in Event.objects.all()] == ["new"]


# -- by Redis -----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[Redis]:
    with redis_server() as server:
        yield server


@pytest.fixture
def by_redis(server: Redis, settings: Settings) -> None:
    settings.BROKER_URL = server.url


def test_redis_tells_in_order_and_ends_with_the_last(
    by_redis: None, submission: Submission, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    told = events.follow(submission.pk, SECONDS)
    with django_capture_on_commit_callbacks(execute=True):
        events.tell(submission.pk, "running")
        events.tell(submission.pk, "check", title="product rule", passed=True)
        events.tell(submission.pk, "graded", verdict="passed")
        events.tell(submission.pk, "too late")
    names = list(told)
    assert names == [
        SubmissionEvent("running"),
        SubmissionEvent("check", {"title": "product rule", "passed": True}),
        SubmissionEvent("graded", {"verdict": "passed"}),
    ]


def test_who_looks_at_the_row_after_the_call_misses_nothing(
    by_redis: None, submission: Submission, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    """The subscription starts with the call, not with the first event that is requested."""
    told = events.follow(submission.pk, SECONDS)
    with django_capture_on_commit_callbacks(execute=True):
        events.tell(submission.pk, "graded")
    assert next(told) == SubmissionEvent("graded")


def test_redis_tells_nothing_before_the_commit(
    by_redis: None, submission: Submission, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    told = events.follow(submission.pk, 0.3)
    with django_capture_on_commit_callbacks():
        events.tell(submission.pk, "graded")
    assert list(told) == []


def test_with_redis_the_database_keeps_no_events(by_redis: None, submission: Submission) -> None:
    events.tell(submission.pk, "running")
    assert not Event.objects.exists()


def test_a_dead_redis_never_breaks_a_submission(
    cast: Cast, settings: Settings, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with redis_server() as gone:
        settings.BROKER_URL = gone.url
    begun = time.monotonic()
    with django_capture_on_commit_callbacks(execute=True):
        submission = cast.hands_in("ada")
    assert time.monotonic() - begun < 60, "nor holds it up"
    claim = queue.claim("w")
    assert claim is not None
    with django_capture_on_commit_callbacks(execute=True):
        assert queue.give_back(claim, "our fault")
    assert submission.work.get().state == queue.State.QUEUED


def test_a_dead_redis_ends_the_stream_without_an_error(submission: Submission, settings: Settings) -> None:
    with redis_server() as gone:
        settings.BROKER_URL = gone.url
    begun = time.monotonic()
    assert list(events.follow(submission.pk, SECONDS)) == []
    assert time.monotonic() - begun < SECONDS / 2


def test_a_redis_that_dies_while_one_follows_ends_the_stream(submission: Submission, settings: Settings) -> None:
    with redis_server() as dying:
        settings.BROKER_URL = dying.url
        told = events.follow(submission.pk, SECONDS)
        dying.stop()
        begun = time.monotonic()
        assert list(told) == []
        assert time.monotonic() - begun < SECONDS / 2


def test_a_redis_that_is_back_tells_again(
    submission: Submission, settings: Settings, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with redis_server() as server:
        settings.BROKER_URL = server.url
        list(events.follow(submission.pk, 0.1))
        server.stop()
        server.start()
        told = events.follow(submission.pk, SECONDS)
        with django_capture_on_commit_callbacks(execute=True):
            events.tell(submission.pk, "graded")
        assert list(told) == [SubmissionEvent("graded")]
