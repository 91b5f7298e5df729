"""Publishes the events of a submission: via Redis if the broker is Redis, otherwise via the database.

Events are hints for followers (`event_stream`) to query the row again, which is authoritative. An event may therefore be
lost, and a late follower reads the row.
"""

import json
import logging
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from redis.backoff import NoBackoff
from redis.retry import Retry

from autograder.submissions.messages.wakeup import wake
from autograder.submissions.models import Event

log = logging.getLogger("gradus.events")
RETENTION = timedelta(days=1)
POLL_SECONDS = 0.15
CHANNEL = "gradus:submission:"
FINAL_EVENTS = ("graded", "internal", "superseded")


def tell(submission_id: int, name: str, **data: Any) -> None:
    """Publish an event when the surrounding transaction commits."""
    if _redis() is None:
        Event.objects.create(submission_id=submission_id, name=name, data=data)
        if on_one_machine():
            transaction.on_commit(lambda: wake(wakeups()))
    else:
        transaction.on_commit(lambda: _publish(submission_id, name, data))


def sweep() -> int:
    """Delete events that are too old to be awaited."""
    return Event.objects.filter(at__lt=timezone.now() - RETENTION).delete()[0]


def _publish(submission_id: int, name: str, data: dict[str, Any]) -> None:
    client = _redis()
    assert client is not None
    try:
        client.publish(_channel(submission_id), json.dumps({"name": name, "data": data}))
    except redis.RedisError:  # a page polls the row by itself after a while
        log.warning("event %s of submission %s could not be sent", name, submission_id, exc_info=True)


def on_one_machine() -> bool:
    """With the embedded broker, all processes of a site run on one machine and can wake each other."""
    return settings.BROKER_URL.startswith("filesystem")


def wakeups() -> Path:
    """The folder in which web processes listen for events."""
    return Path(settings.BROKER) / "events"


def over_redis() -> bool:
    return settings.BROKER_URL.startswith(("redis://", "rediss://", "unix://"))


def _channel(submission_id: int) -> str:
    return f"{CHANNEL}{submission_id}"


@lru_cache(maxsize=1)
def _redis() -> "redis.Redis | None":
    if not over_redis():
        return None
    once = Retry(NoBackoff(), 1)  # type: ignore[no-untyped-call]  # one retry, for a restarted server
    return redis.Redis.from_url(settings.BROKER_URL, socket_timeout=5, socket_connect_timeout=2, retry=once)
