"""One session serves everything that explains a verdict."""

from collections.abc import Callable
from pathlib import Path
from textwrap import indent

import pytest

from autograder.judge import pack as pack_files
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.replay import Replay
from autograder.trace.traces import traces_of
from sandbox.errors import JobEnded


@pytest.fixture
def exercise(write_exercise: Callable[..., Path]) -> Pack:
    return pack_files.load(write_exercise())


def test_the_file_is_loaded_once_for_all_that_is_asked(judge: Judge, exercise: Pack) -> None:
    with Replay(judge, exercise, b"def echo(x): return x") as replay:
        session = replay.session
        assert session is not None and session is replay.session


def test_a_file_that_cannot_be_loaded_says_why(judge: Judge, exercise: Pack) -> None:
    for source, trouble in ((b"1 / 0", "raised ZeroDivisionError"), (b"x = 1", "missing-entry-point")):
        with Replay(judge, exercise, source) as replay:
            assert replay.session is None
            assert replay.trouble == trouble


def burning(where: str) -> bytes:
    """A file that computes for longer than loading may take, `where` it is told to: at "load" or in the "call"."""
    body = "end = time.process_time() + 1.5\nwhile time.process_time() < end: pass\n"
    if where == "load":
        return b"import time\n" + body.encode() + b"def echo(x): return x"
    return b"import time\ndef echo(x):\n" + indent(body, "    ").encode() + b"    return x"


def test_loading_has_a_limit_of_its_own(judge: Judge, exercise: Pack) -> None:
    with Replay(judge, exercise, burning("load")) as replay:
        assert replay.session is None
        assert replay.trouble == "timeout-cpu"


def test_the_limit_on_loading_does_not_count_what_is_asked_later(judge: Judge, exercise: Pack) -> None:
    with Replay(judge, exercise, burning("call")) as replay:
        assert replay.session is not None
        assert replay.session.ask("call", "echo", [1]).value == 1  # type: ignore[union-attr]


def test_another_session_follows_one_that_was_ended(judge: Judge, exercise: Pack) -> None:
    with Replay(judge, exercise, b"import os\ndef echo(x): return x if x else os._exit(3)") as replay:
        assert replay.session is not None
        with pytest.raises(JobEnded):
            replay.session.ask("call", "echo", [0])
        replay.close()
        assert replay.session is not None
        assert replay.session.ask("call", "echo", [1]).value == 1  # type: ignore[union-attr]


def test_a_trace_is_made_in_a_process_that_has_answered_no_questions(judge: Judge, packs: dict[str, Pack]) -> None:
    """What it was asked before could be disclosed in the trace of a public check."""
    exercise = packs["value-engine"]
    report = judge.grade(exercise, exercise.solution, 1)
    with Replay(judge, exercise, exercise.solution) as replay:
        asked = replay.session
        assert traces_of(replay, report)
        assert replay.session is not asked
