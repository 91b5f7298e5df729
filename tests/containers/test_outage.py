"""An engine that goes away and comes back, seen from a worker: nothing is lost, no try is spent, nobody has to be called."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.submissions.grader import Grader
from autograder.submissions.models import Work, Worker
from autograder.submissions.work import sandboxes
from autograder.submissions.work.lease_keeper import LeaseKeeper
from sandbox.backends.container import Container
from tests.cast import Cast

pytestmark = pytest.mark.django_db
ENGINE = "/var/run/docker.sock"


class Wire:
    """Stands between us and the engine, and can be cut."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._listener: socket.socket | None = None
        self._open: list[socket.socket] = []

    def join(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self) -> None:
        assert self._listener is not None
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.path.unlink()
        for end in self._open:
            end.close()
        self._open.clear()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                ours, _ = listener.accept()
            except OSError:
                return
            theirs = socket.socket(socket.AF_UNIX)
            theirs.connect(ENGINE)
            self._open += [ours, theirs]
            for source, sink in ((ours, theirs), (theirs, ours)):
                threading.Thread(target=_pump, args=(source, sink), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return


@pytest.fixture
def wire(tmp_path: Path) -> Wire:
    wire = Wire(tmp_path / "engine.sock")
    wire.join()
    return wire


@pytest.fixture
def contained(wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Grader]:
    container = Container("gradus-sandbox", 61234, tmp_path / "run", engine=f"unix://{wire.path}")
    monkeypatch.setattr(LeaseKeeper, "__init__", lambda self: None)
    monkeypatch.setattr(LeaseKeeper, "stop", lambda self: None)
    monkeypatch.setattr(sandboxes, "backend", lambda: container)
    monkeypatch.setattr(sandboxes, "get_args", lambda _: ("python",))
    monkeypatch.setattr(sandboxes, "RECONNECT_SECONDS", 0.0)
    grader = Grader()
    yield grader
    grader.close()


def test_an_engine_that_restarts_costs_no_submission_and_no_try(wire: Wire, contained: Grader) -> None:
    cast = Cast()
    contained.warm_up()
    assert not contained.sandboxes.trouble
    pid = contained.examiners.sandbox("python").launcher_pid
    assert pid is not None
    submission = cast.hands_in("ada")

    wire.cut()
    os.kill(pid, signal.SIGKILL)  # as an engine does to its containers when it stops
    assert contained.work_once()
    work = submission.work.get()
    assert (work.state, work.tries) == (Work.State.QUEUED, 0)
    assert not contained.work_once(), "while there is no engine nothing is claimed"
    assert "the container engine does not run; start it" in Worker.objects.get(name=contained.name).trouble

    wire.join()
    assert contained.work_once()
    assert submission.gradings.get().verdict == "passed"
    assert submission.work.get().tries == 1
    assert Worker.objects.get(name=contained.name).trouble == ""


def test_a_worker_that_starts_before_its_engine_waits_for_it(wire: Wire, contained: Grader) -> None:
    wire.cut()
    submission = Cast().hands_in("ada")
    contained.warm_up()
    assert "does not run" in contained.sandboxes.trouble
    assert not contained.work_once()
    wire.join()
    assert contained.work_once()
    assert submission.gradings.get().verdict == "passed"
