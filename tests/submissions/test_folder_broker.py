"""The embedded broker: messages arrive complete, once and immediately, whichever process is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection, Consumer, Queue

from autograder.submissions.messages import folder_broker
from tests.conftest import EXERCISES

TRANSPORT = "autograder.submissions.messages.folder_broker:Transport"
SENDER = """
import sys
from kombu import Connection
connection = Connection(transport={transport!r}, transport_options={{"folder": {folder!r}}})
queue = connection.SimpleQueue("bells")
for number in range({count}):
    queue.put({{"sender": {sender}, "number": number, "padding": "x" * 20_000}})
    print(number, flush=True)
"""


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with opened(tmp_path) as made:
        yield made


def opened(folder: Path) -> Connection:
    return Connection(transport=TRANSPORT, transport_options={"folder": str(folder)})


def sender(folder: Path, number: int, count: int) -> "subprocess.Popen[bytes]":
    code = SENDER.format(transport=TRANSPORT, folder=str(folder), sender=number, count=count)
    return subprocess.Popen([sys.executable, "-c", code], cwd=EXERCISES.parent, stdout=subprocess.PIPE)


def received(connection: Connection, until: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    with Consumer(
        connection, Queue("bells", "bells", "bells"), callbacks=[lambda body, message: found.append(body)], no_ack=True
    ):
        while len(found) < until:
            connection.drain_events(timeout=600)
    return found


def test_a_message_arrives_and_the_next_after_it(connection: Connection) -> None:
    queue = connection.SimpleQueue("bells")
    for number in range(3):
        queue.put(number)
    assert [queue.get(timeout=600).payload for _ in range(3)] == [0, 1, 2]
    assert queue.qsize() == 0


def test_a_queue_does_not_get_the_messages_of_another(connection: Connection) -> None:
    connection.SimpleQueue("bells").put("here")
    with pytest.raises(Empty):
        connection.SimpleQueue("regrading").get_nowait()


def test_nothing_in_time_is_said_so(connection: Connection) -> None:
    with (
        Consumer(connection, Queue("bells", "bells", "bells")),
        pytest.raises(TimeoutError),
    ):
        connection.drain_events(timeout=0.05)


def test_a_consumer_that_waits_is_woken(connection: Connection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Here the consumer polls every ten minutes, so it must have been woken."""
    monkeypatch.setattr(folder_broker, "POLL_SECONDS", 600.0)
    process = sender(tmp_path, 1, 1)
    assert received(connection, until=1)[0]["sender"] == 1
    process.communicate()


def test_messages_of_many_senders_arrive_whole_and_once(connection: Connection, tmp_path: Path) -> None:
    senders = [sender(tmp_path, number, 100) for number in range(3)]
    found = received(connection, until=300)
    for process in senders:
        process.communicate()
    assert sorted((each["sender"], each["number"]) for each in found) == [(s, n) for s in range(3) for n in range(100)]


def test_a_sender_that_is_killed_leaves_no_half_message(connection: Connection, tmp_path: Path) -> None:
    process = sender(tmp_path, 1, 100_000)
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(50)]
    os.kill(process.pid, signal.SIGKILL)
    count = int([*said, *process.communicate()[0].splitlines()][-1]) + 1
    assert [each["number"] for each in received(connection, until=count)] == list(range(count))


def test_what_is_no_message_is_left_behind(connection: Connection, tmp_path: Path) -> None:
    queue = connection.SimpleQueue("bells")
    queue.put("before")
    (written,) = [path for path in (tmp_path / "bells").iterdir() if not path.name.startswith(".")]
    (written.parent / "0-broken").write_text(written.read_text()[:40])
    queue.put("after")
    assert [queue.get(timeout=600).payload for _ in range(2)] == ["before", "after"]


def test_a_message_that_waited_long_is_not_taken_for_abandoned(
    connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another consumer looks through the folder right after it was taken."""
    queue, rename = connection.SimpleQueue("bells"), Path.rename
    queue.put("late")
    (written,) = (path for path in (tmp_path / "bells").iterdir() if not path.name.startswith("."))
    long_ago = time.time() - 2 * folder_broker.ABANDONED_AFTER
    os.utime(written, (long_ago, long_ago))

    def and_another_looks(self: Path, target: Path) -> Path:
        renamed = rename(self, target)
        folder_broker._remove_abandoned(renamed)
        return renamed

    monkeypatch.setattr(Path, "rename", and_another_looks)
    assert queue.get(timeout=600).payload == "late"
    assert not [path for path in (tmp_path / "bells").iterdir() if path.is_file()]


def test_a_sender_that_stood_still_sends_again(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its message was removed as abandoned before it was complete."""
    rename, removed = Path.rename, list[Path]()

    def too_late(self: Path, target: Path) -> Path:
        if not removed:
            removed.append(self)
            self.unlink()
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", too_late)
    queue = connection.SimpleQueue("bells")
    queue.put("once")
    assert removed and queue.get(timeout=600).payload == "once"
    assert queue.qsize() == 0


def test_half_messages_of_the_dead_are_removed_after_a_while(connection: Connection, tmp_path: Path) -> None:
    queue = connection.SimpleQueue("bells")
    queue.put("whole")
    left, new = tmp_path / "bells" / ".left", tmp_path / "bells" / ".new"
    for path in (left, new):
        path.write_text(json.dumps({})[:1])
    long_ago = time.time() - 2 * folder_broker.ABANDONED_AFTER
    os.utime(left, (long_ago, long_ago))
    assert queue.get(timeout=600).payload == "whole"
    assert not left.exists()
    assert new.exists()


def test_a_purge_counts_what_it_removes(connection: Connection) -> None:
    queue = connection.SimpleQueue("bells")
    for number in range(4):
        queue.put(number)
    assert (queue.clear(), queue.qsize()) == (4, 0)
