"""A submission that is ended names the line it was running, as long as it wants to."""

import os
import threading
import time
from collections.abc import Iterator

import pytest

from autograder.library.sandboxes import backend
from sandbox import stack
from sandbox.errors import JobEnded, OutOfTime
from sandbox.host import Sandbox
from sandbox.wire import Limits, Line
from tests.sandbox.test_host import loaded, works

SLEEPS = b"import time\n\ndef f():\n    wait(60)\n\ndef wait(n):\n    time.sleep(n)\n"
COUNTS_IN_C = b"def f():\n    n = 10**12\n    return sum(range(n))\n"
ENDLESS = b"while True:\n    pass\n"


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox(backend(), "python") as opened:
        yield opened


def ended(box: Sandbox, source: bytes, limits: Limits, seconds: float | None = None) -> JobEnded | OutOfTime:
    with loaded(box, source, limits) as session, pytest.raises((JobEnded, OutOfTime)) as caught:
        session.ask("call", "f", [], seconds=seconds)
    assert works(box)
    assert isinstance(caught.value, JobEnded | OutOfTime)
    return caught.value


def places(found: JobEnded | OutOfTime) -> list[tuple[int, str]]:
    return [(line.number, line.function) for line in found.stack]


def test_a_sleeper_names_its_lines_outermost_first(box: Sandbox) -> None:
    found = ended(box, SLEEPS, Limits(cpu_seconds=5, wall_seconds=2.0))
    assert isinstance(found, JobEnded) and found.reason == "timeout-wall"
    assert places(found) == [(4, "f"), (7, "wait")]


def test_a_question_out_of_time_names_its_lines(box: Sandbox) -> None:
    found = ended(box, SLEEPS, Limits(cpu_seconds=5, wall_seconds=60.0), seconds=0.3)
    assert isinstance(found, OutOfTime)
    assert places(found) == [(4, "f"), (7, "wait")]


def test_code_in_c_that_never_returns_is_caught_in_the_act(box: Sandbox) -> None:
    found = ended(box, COUNTS_IN_C, Limits(cpu_seconds=1, wall_seconds=80.0))
    assert isinstance(found, JobEnded) and found.reason == "timeout-cpu"
    assert places(found) == [(3, "f")]


def test_a_crash_in_native_code_names_its_line(box: Sandbox) -> None:
    found = ended(box, b"import ctypes\ndef f():\n    ctypes.string_at(0)\n", Limits(wall_seconds=60.0))
    assert isinstance(found, JobEnded) and found.reason == "crash"
    assert places(found) == [(3, "f")]


def test_a_flood_of_output_names_its_line(box: Sandbox) -> None:
    found = ended(box, b"def f():\n    while True:\n        print('x' * 9999)\n", Limits(wall_seconds=60.0))
    assert isinstance(found, JobEnded) and found.reason == "output"
    assert (3, "f") in places(found)


def test_a_file_that_never_finishes_loading_names_its_line(box: Sandbox) -> None:
    with box.session(Limits(cpu_seconds=1, wall_seconds=80.0)) as session, pytest.raises(JobEnded) as caught:
        session.load(ENDLESS)
    assert caught.value.reason == "timeout-cpu"
    assert places(caught.value)[0][1] == "<module>"


@pytest.mark.parametrize(
    "refusal",
    [b"signal.signal(signal.SIGXCPU, signal.SIG_IGN)", b"signal.pthread_sigmask(0, range(1, 65))", b"os.close(5)",
     b"faulthandler.unregister(signal.SIGXCPU)", b"os.write(5, b'x' * 65536)"],
)  # fmt: skip
def test_a_submission_that_refuses_is_ended_all_the_same(box: Sandbox, refusal: bytes) -> None:
    source = b"import faulthandler, os, signal, time\n" + refusal + b"\ndef f():\n    while True: time.sleep(9)\n"
    found = ended(box, source, Limits(cpu_seconds=5, wall_seconds=2.0))
    assert isinstance(found, JobEnded) and found.reason == "timeout-wall"
    assert places(found) == []


def test_an_honest_submission_leaves_nothing(box: Sandbox) -> None:
    with loaded(box, b"def f():\n    return 1\n") as session:
        session.ask("call", "f", [])
        assert session.stack() == ()


def written(dump: bytes) -> tuple[Line, ...]:
    reading, writing = os.pipe()
    try:
        os.set_blocking(reading, False)
        os.write(writing, dump)
        return stack.lines_in(reading)
    finally:
        os.close(reading)
        os.close(writing)


def test_a_stack_is_waited_for_until_its_outermost_line_and_no_longer() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    halves = b"Stack (most recent call first):\n" + frames((3, "g")), b'  File "<string>", line 1 in <module>\n'
    later = threading.Timer(0.2, os.write, (writing, halves[1]))
    try:
        os.write(writing, halves[0])
        later.start()
        begun = time.monotonic()
        dump = stack.wait_for_dump(reading, 120.0)
        assert (dump, time.monotonic() - begun < 60.0) == (b"".join(halves), True)
        assert stack.lines_in(reading, dump) == (Line(3, "g"),)
        assert stack.wait_for_dump(reading, 0.01) == b""  # of a job that writes nothing
    finally:
        later.join()
        os.close(reading)
        os.close(writing)


def frames(*lines: tuple[object, str]) -> bytes:
    return b"".join(f'  File "submission.py", line {number} in {name}\n'.encode() for number, name in lines)


def test_only_the_last_stack_counts() -> None:
    heading = b"Stack (most recent call first):\n"
    assert written(heading + frames((1, "old")) + heading + frames((3, "g"), (2, "f"))) == (Line(2, "f"), Line(3, "g"))


def test_lines_of_other_files_are_left_out() -> None:
    assert written(b'  File "/usr/lib/python3/x.py", line 3 in f\n' + frames((2, "f"))) == (Line(2, "f"),)


@pytest.mark.parametrize("dump", [b"", b"\xff" * 4096, frames((10**9, "f")), frames((-1, "f")), frames((1, "f" * 999)),
                                  b'File "submission.py", line 1 in f', frames((1, ""))])  # fmt: skip
def test_what_is_no_stack_is_nothing(dump: bytes) -> None:
    assert written(dump) == ()


def test_of_a_deep_stack_the_innermost_lines_stay() -> None:
    assert written(frames(*((n, "f") for n in range(100)))) == tuple(Line(n, "f") for n in reversed(range(stack.LINES_KEPT)))
