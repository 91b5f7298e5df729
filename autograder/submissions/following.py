"""Following submissions from a web process: one ear for all its readers, however many there are.

With Redis a process listens on one connection; without, it asks the database once for all of them. What a reader is told
is a name, a hint to look at the row again; so nothing is lost by a break, for the reader looks when it joins.
"""

import asyncio
import contextlib
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from weakref import WeakKeyDictionary

import redis.asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connection
from django.db.models import Max

from autograder.submissions import events
from autograder.submissions.models import Event

log = logging.getLogger("gradus.following")
AGAIN = 1.0  # seconds until a broken ear listens again
ENDS = (*events.LAST, "explained")
PATIENCE = 20.0  # for what explains a verdict, once the verdict is out


class Hub:
    """The readers of one event loop, by submission."""

    def __init__(self) -> None:
        self._readers: dict[int, set[asyncio.Queue[str]]] = defaultdict(set)
        self._ear: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def reader(self, submission_id: int) -> Iterator["asyncio.Queue[str]"]:
        inbox: asyncio.Queue[str] = asyncio.Queue()
        self._readers[submission_id].add(inbox)
        if self._ear is None or self._ear.done():
            self._ear = asyncio.get_running_loop().create_task(self._listen())
        try:
            yield inbox
        finally:
            self._readers[submission_id].discard(inbox)
            if not self._readers[submission_id]:
                del self._readers[submission_id]

    def tell(self, submission_id: int, name: str) -> None:
        for inbox in self._readers.get(submission_id, ()):
            inbox.put_nowait(name)

    async def _listen(self) -> None:
        """Until nobody is left. Whatever breaks is tried again: readers have their own polling beside it."""
        hear = self._hear_redis if events.over_redis() else self._hear_database
        while self._readers:
            try:
                await hear()
            except (redis.RedisError, OSError, DatabaseTrouble):
                log.warning("events cannot be followed just now", exc_info=True)
                await asyncio.sleep(AGAIN)

    async def _hear_redis(self) -> None:
        client = redis.asyncio.Redis.from_url(settings.BROKER_URL, socket_connect_timeout=2)
        async with client, client.pubsub() as ear:
            await ear.psubscribe(f"{events.CHANNEL}*")
            while self._readers:
                message = await ear.get_message(ignore_subscribe_messages=True, timeout=1.0)
                if message is not None:
                    number = message["channel"].decode().removeprefix(events.CHANNEL)
                    self.tell(int(number), str(json.loads(message["data"])["name"]))

    async def _hear_database(self) -> None:
        seen = await _last()
        while self._readers:
            for number, submission_id, name in await _since(seen, list(self._readers)):
                seen = max(seen, number)
                self.tell(submission_id, name)
            await asyncio.sleep(events.POLL)


_hubs: "WeakKeyDictionary[asyncio.AbstractEventLoop, Hub]" = WeakKeyDictionary()


def hub() -> Hub:
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())


async def follow(submission_id: int, seconds: float, beat: float) -> AsyncIterator[str]:
    """Names of events as they come, an empty one when nothing came for a while; until the last one, or so many seconds.

    The verdict is not the last: what explains it follows a moment later, if anything does.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    with hub().reader(submission_id) as inbox:
        while (left := deadline - loop.time()) > 0:
            try:
                name = await asyncio.wait_for(inbox.get(), min(left, beat))
            except TimeoutError:
                yield ""
                continue
            yield name
            if name in ENDS and name != "graded":
                return
            if name == "graded":
                deadline = min(deadline, loop.time() + PATIENCE)


@sync_to_async(thread_sensitive=False)
def _last() -> int:
    try:
        return Event.objects.aggregate(last=Max("id"))["last"] or 0
    finally:
        connection.close()


@sync_to_async(thread_sensitive=False)
def _since(seen: int, submission_ids: list[int]) -> list[tuple[int, int, str]]:
    try:
        new = Event.objects.filter(id__gt=seen, submission_id__in=submission_ids[:500]).order_by("id")
        return list(new.values_list("id", "submission_id", "name"))
    finally:
        connection.close()
