"""A submission's life as a stream that any page can follow: Redis where the broker is Redis, else the database.

Events are hints to look again; the truth is the row. So an event may be lost, and a follower who comes late reads the row.
"""

import json
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from typing import Any

import redis
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from autograder.submissions.models import Event

log = logging.getLogger("gradus.events")
KEPT = timedelta(days=1)
POLL = 0.15
LAST = ("graded", "internal", "superseded")


@dataclass(frozen=True)
class Told:
    name: str
    data: dict[str, Any] = field(default_factory=dict)


def tell(submission_id: int, name: str, **data: Any) -> None:
    """Sent when the transaction around it commits, never before."""
    if _redis() is None:
        Event.objects.create(submission_id=submission_id, name=name, data=data)
    else:
        transaction.on_commit(lambda: _publish(submission_id, name, data))


def follow(submission_id: int, seconds: float) -> Iterator[Told]:
    """Everything from now on, until the last event or so many seconds. Look at the row when you have begun to follow."""
    client, deadline = _redis(), time.monotonic() + seconds
    told = _heard(client, submission_id, deadline) if client else _read(submission_id, deadline)
    for event in told:
        yield event
        if event.name in LAST:
            return


def sweep() -> int:
    """Forget what nobody can be waiting for."""
    return Event.objects.filter(at__lt=timezone.now() - KEPT).delete()[0]


def _read(submission_id: int, deadline: float) -> Iterator[Told]:
    seen = 0
    while time.monotonic() < deadline:
        for event in Event.objects.filter(submission_id=submission_id, id__gt=seen).order_by("id"):
            seen = event.pk
            yield Told(event.name, event.data)
        time.sleep(POLL)


def _heard(client: "redis.Redis", submission_id: int, deadline: float) -> Iterator[Told]:
    with client.pubsub(  # type: ignore[no-untyped-call]
        ignore_subscribe_messages=True
    ) as pubsub:
        pubsub.subscribe(_channel(submission_id))
        while (left := deadline - time.monotonic()) > 0:
            message = pubsub.get_message(timeout=min(left, 1.0))
            if message is not None:
                yield Told(**json.loads(message["data"]))


def _publish(submission_id: int, name: str, data: dict[str, Any]) -> None:
    client = _redis()
    assert client is not None
    try:
        client.publish(_channel(submission_id), json.dumps({"name": name, "data": data}))
    except redis.RedisError:  # a page looks at the row by itself after a while
        log.warning("event %s of submission %s could not be sent", name, submission_id, exc_info=True)


def _channel(submission_id: int) -> str:
    return f"gradus:submission:{submission_id}"


@lru_cache(maxsize=1)
def _redis() -> "redis.Redis | None":
    if not settings.BROKER_URL.startswith(("redis://", "rediss://", "unix://")):
        return None
    return redis.Redis.from_url(settings.BROKER_URL, socket_timeout=5, socket_connect_timeout=2)
