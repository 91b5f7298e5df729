"""Checks the dependencies of the site: database, schema and broker, each with a deadline.

Each result is one sentence with cause and remedy. It never includes the text of an exception, which may contain an
address or a password.
"""

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import redis
from django.conf import settings
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

log = logging.getLogger("gradus.parts")
DEADLINE = 2.0  # seconds, for all checks together
FRESH = 1.0  # seconds for which results are cached, so that frequent probes do not load the database
FINE = "ok"
LATE = f"no response within {DEADLINE:g} s"


@dataclass(frozen=True)
class Dependency:
    name: str
    words: str

    @property
    def fine(self) -> bool:
        return self.words == FINE


def dependencies_now() -> tuple[Dependency, ...]:
    """Return the current results, at most FRESH seconds old."""
    with _asking:
        if time.monotonic() > _kept.until:
            _kept.dependencies_now = _ask()
            _kept.until = time.monotonic() + FRESH
        return _kept.dependencies_now


def forget() -> None:
    _kept.until = 0.0


class _Cache:
    dependencies_now: tuple[Dependency, ...] = ()
    until = 0.0


_kept, _asking = _Cache(), threading.Lock()


def _ask() -> tuple[Dependency, ...]:
    """Check both in parallel. Inside a transaction, which only happens in tests, other threads could not see its tables."""
    database: Answer
    broker: Answer
    if connection.in_atomic_block:
        database, broker = _database(), _broker()
    else:
        database, broker = _in_time(_and_hang_up(_database), _broker)
    tables = _tables(database)
    return Dependency("database", database if isinstance(database, str) else FINE), tables, Dependency("broker", str(broker))


Answer = str | frozenset[tuple[str, str]]  # an error message, or the applied migrations


def _in_time(*questions: Callable[[], Answer]) -> list[Answer]:
    """Run each check in a daemon thread. Threads that miss the deadline are abandoned and end by their own time-outs."""
    answers: list[Answer] = [f"{LATE}. Check that it is running and reachable."] * len(questions)

    def ask(place: int) -> None:
        answers[place] = questions[place]()

    threads = [threading.Thread(target=ask, args=(n,), daemon=True) for n in range(len(questions))]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + DEADLINE
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return list(answers)


def _and_hang_up(question: Callable[[], Answer]) -> Callable[[], Answer]:
    def ask_and_hang_up() -> Answer:
        try:
            return question()
        finally:
            connection.close()

    return ask_and_hang_up


def _database() -> Answer:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return frozenset(MigrationRecorder(connection).applied_migrations())
    except Error as error:
        log.warning("the database cannot be used", exc_info=True)
        return (
            f"unavailable ({type(error).__name__}). Check that it is running and that DATABASE_URL is correct. "
            "See the web server log for details."
        )


def _tables(applied: Answer) -> Dependency:
    if isinstance(applied, str):
        return Dependency("schema", "unknown while the database is unreachable")
    missing = len(_known() - applied)
    if not missing:
        return Dependency("schema", FINE)
    plural = "s are" if missing > 1 else " is"
    return Dependency("schema", f"{missing} migration{plural} not applied. Run manage.py migrate.")


@cache
def _known() -> frozenset[tuple[str, str]]:
    """The migrations of this version of the code. During a deployment, the database may have more."""
    loader = MigrationLoader(None)
    return frozenset(key for key in loader.disk_migrations if key not in loader.replacements)


def _broker() -> str:
    if settings.BROKER_URL.startswith("filesystem"):
        folder = settings.BROKER / "messages"
        if os.access(folder, os.W_OK | os.X_OK):
            return FINE
        return "its folder does not exist or is not writable. Make GRADUS_DATA writable for the user that runs the site."
    try:
        with redis.Redis.from_url(settings.BROKER_URL, socket_connect_timeout=DEADLINE, socket_timeout=DEADLINE) as client:
            client.ping()
    except (redis.RedisError, OSError, ValueError) as error:
        log.warning("the broker cannot be used", exc_info=True)
        return (
            f"unavailable ({type(error).__name__}). Check that Redis is running and that GRADUS_BROKER_URL is correct. "
            "Queued jobs are kept in the meantime."
        )
    return FINE


def database_answers() -> bool:
    return next(part.fine for part in dependencies_now() if part.name == "database")
