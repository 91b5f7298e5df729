"""A job that is killed from outside: its submission is graded again, and is not said to have used too much memory.

Of bubblewrap alone: in a container the machine's process numbers of jobs are not to be had from here.
"""

import contextlib
import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.judge.checks.student import Student
from autograder.judge.grade import TRIES, Judge
from autograder.judge.pack import Pack
from sandbox import oom
from tests.judge.test_grade_again import ECHO, children, kill, with_deaths, zygote_of


@pytest.fixture
def exercise(write_exercise: Callable[..., Path]) -> Pack:
    return pack.load(write_exercise())


def kill_job(judge: Judge, student: Student) -> int:
    """The one that reads what the check asks. Beside it, the spare may be starting and an earlier job still be ending."""
    ours = os.fstat(student._session._job.questions).st_ino
    return kill(next(job for job in children(zygote_of(judge)) if ours in pipes_of(job)))


def pipes_of(pid: int) -> set[int]:
    pipes = set[int]()
    with contextlib.suppress(FileNotFoundError):  # it has ended
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(FileNotFoundError):
                pipes.add(os.stat(f"/proc/{pid}/fd/{name}").st_ino)
    return pipes


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
