"""Writers of a process wait in line: none is overtaken until it gives up, as with SQLite's own waiting."""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connections, transaction
from django.db.utils import OperationalError
from django.test import Client

from autograder.settings import database
from autograder.sqlite.turns import Turns
from tests.servers import wait_for

ALIAS = "in_a_file"
WRITERS = 30


@pytest.fixture
def table(tmp_path: Path, django_db_blocker: pytest.FixtureRequest) -> Iterator[str]:
    """The alias of a database with one table, in a file: the database of the tests is in memory."""
    given = database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    assert given["ENGINE"] == "autograder.sqlite"
    connections.databases[ALIAS] = {**connections.databases["default"], **given, "NAME": str(tmp_path / "x.sqlite3")}
    connections.databases[ALIAS]["OPTIONS"] = {**given["OPTIONS"], "timeout": 60}
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        with connections[ALIAS].cursor() as cursor:
            cursor.execute("CREATE TABLE wrote (number INTEGER)")
        yield ALIAS
        connections[ALIAS].close()
    del connections[ALIAS]
    del connections.databases[ALIAS]


def wrote() -> list[int]:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("SELECT number FROM wrote ORDER BY rowid")
        return [number for (number,) in cursor.fetchall()]


def write(number: int) -> None:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("INSERT INTO wrote VALUES (%s)", [number])


def in_a_thread(work: Callable[[], object]) -> threading.Thread:
    def run() -> None:
        try:
            work()
        finally:
            connections[ALIAS].close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def waiting() -> int:
    from autograder.sqlite import base

    return len(base._turns[str(connections.databases[ALIAS]["NAME"])]._waiting)


def transact(number: int) -> None:
    with transaction.atomic(ALIAS):
        write(number)


@pytest.mark.parametrize("kind", [write, transact])
def test_writers_write_in_the_order_in_which_they_asked(table: str, kind: Callable[[int], None]) -> None:
    threads = []
    with transaction.atomic(ALIAS):
        for number in range(WRITERS):
            threads.append(in_a_thread(lambda number=number: kind(number)))  # type: ignore[misc]
            wait_for(lambda number=number: waiting() == number + 1, "it does not wait")  # type: ignore[misc]
        write(-1)
    for thread in threads:
        thread.join()
    assert wrote() == [-1, *range(WRITERS)]


def test_a_transaction_that_fails_gives_its_turn_back(table: str) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic(ALIAS):
        write(1)
        _ = 1 / 0
    with pytest.raises(OperationalError, match="no such table"), connections[ALIAS].cursor() as cursor:
        cursor.execute("INSERT INTO absent VALUES (1)")
    with (
        pytest.raises(OperationalError, match="no such table"),
        transaction.atomic(ALIAS),
        connections[ALIAS].cursor() as cursor,
    ):
        cursor.execute("INSERT INTO absent VALUES (1)")
    in_a_thread(lambda: write(2)).join()
    assert wrote() == [2]


def test_a_connection_that_is_closed_gives_its_turn_back(table: str) -> None:
    def leave() -> None:
        connections[ALIAS].set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        write(1)
        connections[ALIAS].close()

    in_a_thread(leave).join()
    in_a_thread(lambda: write(2)).join()
    assert wrote() == [2]


def test_a_connection_that_is_closed_in_a_transaction_gives_its_turn_back(table: str) -> None:
    with transaction.atomic(ALIAS):
        write(1)
        connections[ALIAS].close()
        in_a_thread(lambda: write(2)).join()
    assert wrote() == [2]


def test_reading_waits_for_nobody(table: str) -> None:
    found: list[list[int]] = []
    with transaction.atomic(ALIAS):
        write(1)
        in_a_thread(lambda: found.append(wrote())).join()
    assert found == [[]]


def test_who_waits_too_long_is_told_what_sqlite_would_say(table: str) -> None:
    connections.databases[ALIAS]["OPTIONS"]["timeout"] = 0.05
    errors: list[Exception] = []

    def hopeless() -> None:
        try:
            write(2)
        except OperationalError as error:
            errors.append(error)

    with transaction.atomic(ALIAS):
        write(1)
        in_a_thread(hopeless).join()
    assert [str(error) for error in errors] == ["database is locked"]
    in_a_thread(lambda: write(3)).join()
    assert wrote() == [1, 3], "and the next one has its turn"


def test_a_process_that_was_forked_meanwhile_waits_for_none_of_its_parent(table: str) -> None:
    with transaction.atomic(ALIAS):
        child = os.fork()
        if child == 0:
            from autograder.sqlite import base

            os._exit(0 if base._turns[str(connections.databases[ALIAS]["NAME"])].take(0.0) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_turn_that_comes_at_the_last_moment_is_not_lost() -> None:
    turns = Turns()
    assert turns.take(0.0)
    assert not turns.take(0.0)
    turns.give()
    assert turns.take(0.0)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("accept", "kind"), [("text/html", "text/html"), ("application/json", "application/json")], ids=["page", "script"]
)
def test_who_could_not_save_is_asked_to_try_again(
    accept: str, kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def locked(*_: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("autograder.web.accounts.login_throttle._taken", locked)
    with caplog.at_level(logging.ERROR, "gradus.web"):
        answer = Client().post("/sign-in/", {"username": "ada", "password": "x"}, headers={"Accept": accept})
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer["Content-Type"].startswith(kind)
    assert "Wait a few seconds and try again." in answer.content.decode()
    assert "waited too long to write" in caplog.text
