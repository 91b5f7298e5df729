"""A job that is killed from outside: its submission is graded again, and is not said to have used too much memory.

Of bubblewrap alone: in a container the machine's process numbers of jobs are not to be had from here.
"""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.judge.grade import TRIES, Judge
from autograder.judge.pack import Pack
from sandbox import oom
from tests.judge.test_grade_again import ECHO, children, kill, with_deaths, zygote_of


@pytest.fixture
def exercise(write_exercise: Callable[..., Path]) -> Pack:
    return pack.load(write_exercise())


def kill_job(judge: Judge) -> int:
    """The one that answers; the spare was forked later."""
    return kill(children(zygote_of(judge))[0])


def test_a_job_that_somebody_killed_is_graded_again(judge: Judge, exercise: Pack) -> None:
    deadly, killed = with_deaths(judge, exercise, TRIES - 1, kill=kill_job)
    assert judge.grade(deadly, ECHO, 0).verdict == "passed"
    assert len(killed) == TRIES - 1


def test_a_job_that_somebody_kills_every_time_did_not_use_too_much_memory(judge: Judge, exercise: Pack) -> None:
    deadly, _ = with_deaths(judge, exercise, TRIES, kill=kill_job)
    report = judge.grade(deadly, ECHO, 0)
    assert (report.verdict, report.reason) == ("internal", None)
    assert "something outside the sandbox ended the submission" in report.message


def test_a_job_that_the_machine_kills_every_time_used_too_much_memory(
    judge: Judge, exercise: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = itertools.count()
    monkeypatch.setattr(oom, "kills", lambda: next(counted))
    deadly, killed = with_deaths(judge, exercise, TRIES, kill=kill_job)
    report = judge.grade(deadly, ECHO, 0)
    assert (report.verdict, report.reason) == ("error", "memory") and len(killed) == TRIES
