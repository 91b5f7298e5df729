"""The events of a submission, through the database and a real Redis. A failure of the stream never affects the grading."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from autograder.submissions.messages import events
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


def published() -> list[tuple[int, str, dict[str, Any]]]:
    return list(Event.objects.order_by("id").values_list("submission_id", "name", "data"))


# -- by the database --------------------------------------------------------------------------------------------------------


def test_everything_is_published_in_order_for_its_submission(cast: Cast, submission: Submission) -> None:
    events.tell(submission.pk, "running")
    events.tell(submission.pk, "check", title="product rule", passed=True)
    events.tell(submission.pk, "graded", verdict="passed")
    assert published() == [
        (submission.pk, "running", {}),
        (submission.pk, "check", {"title": "product rule", "passed": True}),
        (submission.pk, "graded", {"verdict": "passed"}),
    ]


def test_what_is_taken_back_is_never_told(submission: Submission) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        events.tell(submission.pk, "graded")
        raise RuntimeError("taken back")
    assert published() == []


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


@contextmanager
def heard(server: Redis, submission: Submission) -> Iterator[list[dict[str, Any]]]:
    """The messages on the submission's channel during the block."""
    found: list[dict[str, Any]] = []
    with redis.Redis.from_url(server.url) as client, client.pubsub() as channel:
        channel.subscribe(f"{events.CHANNEL}{submission.pk}")
        assert channel.get_message(timeout=SECONDS)
        yield found
        client.publish(f"{events.CHANNEL}{submission.pk}", '"end"')
        while (message := channel.get_message(timeout=SECONDS)) and message["data"] != b'"end"':
            found.append(json.loads(message["data"]))


def test_redis_tells_in_order_what_is_committed(
    server: Redis,
    by_redis: None,
    submission: Submission,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with heard(server, submission) as told:
        with django_capture_on_commit_callbacks(execute=True):
            events.tell(submission.pk, "running")
            events.tell(submission.pk, "check", title="product rule", passed=True)
        with django_capture_on_commit_callbacks():
            events.tell(submission.pk, "graded")
    assert told == [
        {"name": "running", "data": {}},
        {"name": "check", "data": {"title": "product rule", "passed": True}},
    ]


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
        assert queue.gradings.give_back(claim, "our fault")
    assert submission.work.get().state == queue.State.QUEUED


def test_a_redis_that_is_back_tells_again(
    submission: Submission, settings: Settings, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with redis_server() as server:
        settings.BROKER_URL = server.url
        with django_capture_on_commit_callbacks(execute=True):
            events.tell(submission.pk, "running")
        server.stop()
        server.start()
        with heard(server, submission) as told, django_capture_on_commit_callbacks(execute=True):
            events.tell(submission.pk, "graded")
    assert told == [{"name": "graded", "data": {}}]
