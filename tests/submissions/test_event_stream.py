"""One listener per web process for all streams, with the database and a real Redis. A broken connection is reopened."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.utils import timezone
from pytest_django import Settings
from redis.asyncio.client import PubSub

from autograder.submissions.messages import event_stream, events
from autograder.submissions.models import Event, Grading, Submission, Work
from autograder.submissions.work import queue
from tests.cast import Cast
from tests.servers import Redis, redis_server

pytestmark = pytest.mark.django_db(transaction=True)
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
    events._redis.cache_clear()
    return made


@pytest.fixture(scope="module")
def server() -> Iterator[Redis]:
    with redis_server() as running:
        yield running


@pytest.fixture(params=["database", "redis"])
def anyhow(request: pytest.FixtureRequest, settings: Settings, submission: Submission) -> str:
    if request.param == "redis":
        settings.BROKER_URL = request.getfixturevalue("server").url
    return str(request.param)


async def told(
    submission: Submission, seconds: float = SECONDS, beat: float = SECONDS, seen: str = "", *, held: bool = False
) -> list[str]:
    return [name async for name in event_stream.follow(submission.pk, seconds, beat, seen, held=held)]


@sync_to_async
def tell(submission: Submission, name: str) -> None:
    """Publish an event, with retries: SQLite's in-memory database does not wait for a reader of the same table."""
    while True:
        with contextlib.suppress(OperationalError):
            return events.tell(submission.pk, name)
        time.sleep(0.01)


async def listening(readers: int) -> None:
    while sum(map(len, event_stream.hub()._readers.values())) < readers:
        await asyncio.sleep(0.01)


async def waiting(submission: Submission) -> None:
    """Wait until the only reader has checked the state and waits for events."""
    (inbox,) = event_stream.hub()._readers[submission.pk]
    while not inbox._getters:  # type: ignore[attr-defined]
        await asyncio.sleep(0.01)


async def tell_until_heard(submission: Submission, *names: str) -> None:
    """Publish events. The first one is repeated until it is received, because an event may be lost while the listener
    connects.
    """
    got: list[str] = []
    hub = event_stream.hub()
    heard = hub.tell

    def noted(submission_id: int, name: str) -> None:
        got.append(name)
        heard(submission_id, name)

    hub.tell = noted  # type: ignore[method-assign]
    while not got:
        await tell(submission, names[0])
        await asyncio.sleep(0.05)
    for name in names[1:]:
        await tell(submission, name)


def run(action: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(action(), SECONDS)

    asyncio.run(limited())


def distinct(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


@pytest.mark.parametrize("last", ["explained", "internal", "superseded"])
def test_a_reader_hears_everything_until_the_end(anyhow: str, submission: Submission, last: str) -> None:
    async def action() -> None:
        reader = asyncio.create_task(told(submission))
        await listening(1)
        await tell_until_heard(submission, "running", "check", "graded", last)
        assert distinct(await reader) == ["running", "check", "graded", last]

    run(action)


def test_many_readers_of_many_submissions_share_one_listener(anyhow: str, cast: Cast, submission: Submission) -> None:
    other = cast.hands_in("ben")

    async def action() -> None:
        readers = [asyncio.create_task(told(each)) for each in (submission, submission, other)]
        await listening(len(readers))
        listener = event_stream.hub()._listener
        await tell_until_heard(submission, "running", "graded", "explained")
        await tell(other, "superseded")
        found = [distinct(await reader) for reader in readers]
        assert found[0] == found[1] == ["running", "graded", "explained"]
        assert found[2] == ["superseded"], "and not a word of the other's"
        assert event_stream.hub()._listener is listener

    run(action)


def test_a_verdict_is_not_the_end_but_nearly(submission: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "EXPLANATION_SECONDS", 0.2)

    async def action() -> None:
        reader = asyncio.create_task(told(submission, beat=0.05))
        await listening(1)
        await tell_until_heard(submission, "graded")
        names = await reader
        assert "graded" in names
        assert "" in names, "it beats while it waits for what explains the verdict"

    run(action)


def test_a_held_reader_does_not_hear_when_the_explanation_came(
    anyhow: str, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That depends on whether hidden checks failed."""
    monkeypatch.setattr(event_stream, "HELD_SECONDS", SECONDS)
    heard: list[str] = []

    async def read() -> None:
        async for name in event_stream.follow(submission.pk, SECONDS, SECONDS, held=True):
            heard.append(name)

    async def action() -> None:
        reader = asyncio.create_task(read())
        await listening(1)
        await tell_until_heard(submission, "running", "graded", "explained", "queued")
        while "queued" not in heard:
            await asyncio.sleep(0.01)
        assert distinct(heard) == ["running", "graded", "queued"]
        reader.cancel()

    run(action)


@pytest.mark.parametrize("explained", [True, False])
def test_a_held_reader_hears_of_the_end_at_a_fixed_time(
    submission: Submission, explained: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "HELD_SECONDS", 0.1)

    async def action() -> None:
        await grade(submission, explained=explained)
        for since, seen, names in (
            (timedelta(), "", ["graded", "explained"]),
            (timedelta(), "graded", ["explained"]),
            (timedelta(hours=1), "", ["explained"]),
            (timedelta(hours=1), "explained", []),
        ):
            at = timezone.now() + timedelta(minutes=1) - since  # not over, however long this takes
            await Grading.objects.aupdate(graded_at=at)
            assert await told(submission, seen=seen, seconds=0.2 if not names else SECONDS, held=True) == names

    run(action)


def test_in_silence_it_beats_and_ends(submission: Submission) -> None:
    async def action() -> None:
        names = await told(submission, seconds=0.3, beat=0.1)
        assert names
        assert set(names) == {""}

    run(action)


def test_a_reader_who_leaves_is_forgotten(submission: Submission) -> None:
    async def action() -> None:
        reader = asyncio.create_task(told(submission))
        await listening(1)
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
        hub = event_stream.hub()
        assert not hub._readers
        assert hub._listener is not None
        await hub._listener

    run(action)


def test_a_reader_who_leaves_at_the_moment_of_an_event_is_forgotten(submission: Submission) -> None:
    async def action() -> None:
        reader = asyncio.create_task(told(submission))
        await listening(1)
        await waiting(submission)
        event_stream.hub().tell(submission.pk, "running")
        reader.cancel()
        await asyncio.wait([reader], timeout=SECONDS / 2)
        assert reader.cancelled()

    run(action)


def test_what_was_published_while_redis_was_away_is_found_when_it_is_back(
    settings: Settings, submission: Submission, server: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "RETRY_SECONDS", 0.05)
    settings.BROKER_URL = server.url

    async def action() -> None:
        reader = asyncio.create_task(told(submission))
        await listening(1)
        await waiting(submission)
        server.stop()
        await grade(submission, explained=True)
        assert not reader.done()
        await asyncio.to_thread(server.start)
        assert await reader == ["explained"]

    run(action)


def test_a_reader_who_comes_while_the_subscription_is_closed_waits_for_the_next(
    settings: Settings, submission: Submission, server: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise, events published before that would be lost, and only the page's polling would find them seconds later."""
    settings.BROKER_URL = server.url
    closing, close = asyncio.Event(), PubSub.__aexit__

    async def slow_close(self: PubSub, *why: object) -> None:
        closing.set()
        await asyncio.sleep(0.2)
        await close(self, *why)  # type: ignore[no-untyped-call]

    async def come_and_go() -> bool:
        hub = event_stream.hub()
        with hub.reader(submission.pk):
            await hub.listens()
        await closing.wait()
        with hub.reader(submission.pk):
            heard = hub._listens.is_set()
            await hub.listens()
            assert hub._listens.is_set()
        return heard

    monkeypatch.setattr(PubSub, "__aexit__", slow_close)
    assert not asyncio.run(come_and_go())


def test_a_redis_that_was_away_is_heard_again(
    settings: Settings, submission: Submission, server: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "RETRY_SECONDS", 0.05)
    settings.BROKER_URL = server.url

    async def action() -> None:
        reader = asyncio.create_task(told(submission))
        await listening(1)
        server.stop()
        await tell(submission, "running")  # lost: only the row has the state
        assert not reader.done()
        await asyncio.to_thread(server.start)
        await tell_until_heard(submission, "graded", "explained")
        assert distinct(await reader) == ["graded", "explained"]

    run(action)


def test_a_redis_that_is_not_there_leaves_readers_with_their_beat(settings: Settings, submission: Submission) -> None:
    settings.BROKER_URL = "redis://127.0.0.1:1/0"

    async def action() -> None:
        assert set(await told(submission, seconds=0.4, beat=0.1)) == {""}

    run(action)


@sync_to_async
def grade(submission: Submission, *, explained: bool) -> None:
    Grading.objects.create(
        submission=submission,
        work=submission.work.get(),
        version=submission.assignment.exercise_version,
        current=True,
        seed=1,
        verdict="passed",
        score=1.0,
        max_score=1.0,
        seconds=0.1,
        report={},
        graded_at=timezone.now(),
        explained_at=timezone.now() if explained else None,
    )


def test_what_happened_before_the_stream_began_is_told_at_once(anyhow: str, submission: Submission) -> None:
    """The page was rendered while the submission waited, then the submission was graded, then the stream was opened."""

    async def action() -> None:
        await grade(submission, explained=True)
        assert await told(submission) == ["explained"]

    run(action)


def test_what_the_page_shows_already_is_not_told_again(anyhow: str, submission: Submission) -> None:
    async def action() -> None:
        await grade(submission, explained=False)
        reader = asyncio.create_task(told(submission, seen="graded"))
        await listening(1)
        await tell_until_heard(submission, "explained")
        assert distinct(await reader) == ["explained"]

    run(action)


def test_an_event_wakes_the_listener_of_the_same_machine(
    submission: Submission, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the listener polls the table every ten minutes, so it must have been woken."""
    monkeypatch.setattr(event_stream, "POLL_SECONDS", 600.0)
    settings.BROKER = tmp_path

    async def action() -> None:
        reader = asyncio.create_task(told(submission))
        await listening(1)
        await tell_until_heard(submission, "graded", "explained")
        assert distinct(await reader) == ["graded", "explained"]

    run(action)
    assert list(tmp_path.glob("events/*")) == []


def test_the_state_of_a_submission_that_is_being_graded(submission: Submission) -> None:
    assert event_stream.state_of(submission.pk) == ""
    queue.claim("box")
    assert event_stream.state_of(submission.pk) == "running"


@pytest.mark.parametrize(("state", "name"), [(Work.State.FAILED, "internal"), (Work.State.SUPERSEDED, "superseded")])
def test_the_state_of_a_submission_that_gets_no_verdict(submission: Submission, state: Work.State, name: str) -> None:
    submission.work.update(state=state, ended_at=timezone.now())
    assert event_stream.state_of(submission.pk) == name
