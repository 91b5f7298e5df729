"""Waking a process takes no time, and processes that are dead or do not listen delay nothing."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from autograder.submissions.messages.wakeup import Listener, wake


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / ("a path that is too long for the address of a socket " * 4) / "wakeups"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def listener(folder: Path) -> Iterator[Listener]:
    made = Listener(folder)
    yield made
    made.close()


def test_a_listener_is_woken(folder: Path, listener: Listener) -> None:
    assert not listener.wait(0)
    wake(folder)
    assert listener.wait(600)


def test_every_listener_is_woken(folder: Path, listener: Listener) -> None:
    other = Listener(folder)
    wake(folder)
    assert listener.wait(600)
    assert other.wait(600)
    other.close()


def test_a_wakeup_is_forgotten_when_it_was_drained(folder: Path, listener: Listener) -> None:
    wake(folder)
    wake(folder)
    listener.drain()
    assert not listener.wait(0)


def test_whoever_does_not_listen_holds_nobody_up(folder: Path, listener: Listener) -> None:
    for _ in range(10_000):
        wake(folder)
    assert listener.wait(600)


def test_a_closed_listener_leaves_nothing(folder: Path) -> None:
    Listener(folder).close()
    assert os.listdir(folder) == []
    wake(folder)


def test_a_folder_that_cannot_be_used_troubles_nobody(tmp_path: Path) -> None:
    """The caller has just stored a submission or a verdict and must not fail afterwards."""
    wake(tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    wake(tmp_path / "file")


def _listen(folder: Path, said: Connection) -> None:
    listener = Listener(folder)
    said.send("ready")
    listener.wait(600)


def test_the_socket_of_a_killed_process_is_removed(folder: Path, listener: Listener) -> None:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_listen, args=(folder, there))
    process.start()
    assert here.recv() == "ready"
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert len(os.listdir(folder)) == 2
    wake(folder)
    assert len(os.listdir(folder)) == 1
    assert listener.wait(600)
