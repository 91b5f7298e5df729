"""Follows submissions from a web process: one listener per event loop, shared by all open streams.

With Redis, the listener is one subscription. Without Redis, it reads the table of events, woken by a socket if the broker is
on this machine. A reader receives the name of an event as a hint to query the row again. It passes the state that it already
knows and is notified at once of a newer one, so that no event is lost between the page and the stream.
"""

import asyncio
import contextlib
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import redis.asyncio
from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connection
from django.db.models import Max
from django.utils import timezone

from autograder.submissions.messages import events
from autograder.submissions.messages.wakeup import Listener
from autograder.submissions.models import Event, Grading, Work

log = logging.getLogger("gradus.following")
RETRY_SECONDS = 1.0  # seconds until a broken listener tries again
FINAL_EVENTS = (*events.FINAL_EVENTS, "explained")
EXPLANATION_SECONDS = 120.0  # seconds to wait for the explanation after the verdict; a new site learns mistakes first
# Seconds from the verdict until viewers who may not know how hidden checks ended see traces and explanations of public
# ones: always the same, because an explanation takes longer where a check failed.
HELD_SECONDS = 1.0
POLL_SECONDS = 1.0  # seconds between reads of the table if a socket announces new events
LISTENER_SECONDS = 2.0  # seconds; a stream that begins while the listener is broken waits no longer for it


class Hub:
    """The readers of one event loop, by submission."""

    def __init__(self) -> None:
        self._readers: dict[int, set[asyncio.Queue[str]]] = defaultdict(set)
        self._listener: asyncio.Task[None] | None = None
        self._listens = asyncio.Event()
        self._seen: int | None = None  # the last event read from the table
        self._missed = False  # events may have been published while there was no subscription

    @contextlib.contextmanager
    def reader(self, submission_id: int) -> Iterator["asyncio.Queue[str]"]:
        inbox: asyncio.Queue[str] = asyncio.Queue()
        self._readers[submission_id].add(inbox)
        if self._listener is None or self._listener.done():
            self._listens.clear()
            self._seen = None
            self._listener = asyncio.get_running_loop().create_task(self._listen())
        try:
            yield inbox
        finally:
            self._readers[submission_id].discard(inbox)
            if not self._readers[submission_id]:
                del self._readers[submission_id]

    async def listens(self) -> None:
        """Wait until readers receive all further events, or until the listener turns out to be broken and readers poll for
        themselves."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LISTENER_SECONDS):
                await self._listens.wait()

    def tell(self, submission_id: int, name: str) -> None:
        for inbox in self._readers.get(submission_id, ()):
            inbox.put_nowait(name)

    async def _listen(self) -> None:
        """Run until there are no readers. Errors are retried; meanwhile readers rely on their own polling."""
        listen = self._listen_to_redis if events.over_redis() else self._listen_to_database
        while self._readers:
            try:
                await listen()
            except (redis.RedisError, OSError, DatabaseTrouble):
                self._listens.clear()
                self._missed = True
                log.warning("events cannot be read at the moment", exc_info=True)
                await asyncio.sleep(RETRY_SECONDS)

    async def _listen_to_redis(self) -> None:
        client = redis.asyncio.Redis.from_url(settings.BROKER_URL, socket_connect_timeout=2)
        async with client, client.pubsub() as subscription:
            await subscription.psubscribe(f"{events.CHANNEL}*")
            while self._readers:
                message = await subscription.get_message(timeout=1.0)
                if message is not None and message["type"] == "psubscribe":
                    self._listens.set()
                    if self._missed:
                        await self._catch_up()
                elif message is not None:
                    number = message["channel"].decode().removeprefix(events.CHANNEL)
                    self.tell(int(number), str(json.loads(message["data"])["name"]))
            self._listens.clear()  # readers that arrive while the subscription is being closed wait for the next one

    async def _catch_up(self) -> None:
        """Send every reader the current state of its submission."""
        self._missed = False
        for submission_id in list(self._readers):
            if state := await asyncio.to_thread(_state, submission_id):
                self.tell(submission_id, state)

    async def _listen_to_database(self) -> None:
        look_every = POLL_SECONDS if events.on_one_machine() else events.POLL_SECONDS
        with _woken() as woken, _table() as ask:
            if self._seen is None:  # otherwise the listener broke and continues where it was
                self._seen = await ask(_last)
            self._listens.set()
            while self._readers:
                woken.clear()
                for number, submission_id, name in await ask(_since, self._seen, list(self._readers)):
                    self._seen = max(self._seen, number)
                    self.tell(submission_id, name)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(look_every):
                        await woken.wait()


_hubs: "WeakKeyDictionary[asyncio.AbstractEventLoop, Hub]" = WeakKeyDictionary()


def hub() -> Hub:
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())


async def follow(
    submission_id: int, seconds: float, beat: float, seen: str = "", *, held: bool = False
) -> AsyncIterator[str]:
    """Yield event names as they arrive, and an empty name if nothing arrives for `beat` seconds, until the last event or the timeout.

    The verdict is not the last event: its explanation follows a moment later, if there is one. `seen` is the `state_of` the
    submission that the reader already knows. `held` is for readers who may not know how hidden checks ended: the last event
    comes at a fixed time after the verdict.
    """
    loop = asyncio.get_running_loop()
    with hub().reader(submission_id) as inbox:
        await hub().listens()
        deadline, state = loop.time() + seconds, ""
        with contextlib.suppress(DatabaseTrouble):  # the page polls by itself before long
            # sync_to_async could swallow the cancellation when the reader leaves
            state = await asyncio.to_thread(_state, submission_id, held)
            if state != seen:
                inbox.put_nowait(state)
            elif held and state == "graded":
                deadline = loop.time() + HELD_SECONDS
        while (left := deadline - loop.time()) > 0:
            try:
                async with asyncio.timeout(min(left, beat)):  # wait_for can swallow the cancellation when the reader leaves
                    name = await inbox.get()
            except TimeoutError:
                if loop.time() < deadline:
                    yield ""
                continue
            if held and name == "explained" and state != "explained":
                continue
            yield name
            if name in FINAL_EVENTS and name != "graded":
                return
            if name == "graded":
                state = name
                deadline = min(deadline, loop.time() + (HELD_SECONDS if held else EXPLANATION_SECONDS))
        if held and state == "graded":
            yield "explained"


def state_of(submission_id: int, *, held: bool = False) -> str:
    """Return the name of the event that describes the current state of a submission, or an empty string while it is queued.
    `held` as in `follow`.
    """
    grading = Grading.objects.filter(submission_id=submission_id, current=True).only("graded_at", "explained_at").first()
    if grading is not None:
        return state_of_grading(grading, held=held)
    work = Work.objects.filter(submission_id=submission_id, batch=None).values_list("state", flat=True).first()
    known = {Work.State.RUNNING: "running", Work.State.FAILED: "internal", Work.State.SUPERSEDED: "superseded"}
    return known.get(Work.State(work), "") if work else ""


def state_of_grading(grading: Grading, *, held: bool) -> str:
    if held:
        return "graded" if timezone.now() - grading.graded_at < timedelta(seconds=HELD_SECONDS) else "explained"
    return "graded" if grading.explained_at is None else "explained"


@contextlib.contextmanager
def _woken() -> Iterator[asyncio.Event]:
    """Yield an event that is set whenever this machine stores an event. With a remote broker it is never set, and the table
    is polled."""
    woken = asyncio.Event()
    if not events.on_one_machine():
        yield woken
        return
    loop, listener = asyncio.get_running_loop(), Listener(events.wakeups())

    def wakes() -> None:
        listener.drain()
        woken.set()

    loop.add_reader(listener, wakes)
    try:
        yield woken
    finally:
        loop.remove_reader(listener)
        listener.close()


def _state(submission_id: int, held: bool = False) -> str:
    try:
        return state_of(submission_id, held=held)
    finally:
        connection.close()


@contextlib.contextmanager
def _table() -> Iterator[Callable[..., "asyncio.Future[Any]"]]:
    """Yield a function that runs calls in one thread with one shared connection, because a new connection per poll takes
    milliseconds."""
    thread = ThreadPoolExecutor(1, "events")
    try:
        yield partial(asyncio.get_running_loop().run_in_executor, thread)
    finally:
        thread.submit(connection.close)
        thread.shutdown(wait=False)


def _last() -> int:
    return Event.objects.aggregate(last=Max("id"))["last"] or 0


def _since(seen: int, submission_ids: list[int]) -> list[tuple[int, int, str]]:
    new = Event.objects.filter(id__gt=seen, submission_id__in=submission_ids[:500]).order_by("id")
    return list(new.values_list("id", "submission_id", "name"))
