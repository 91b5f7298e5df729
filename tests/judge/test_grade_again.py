"""The same submission graded again: equal reports, what was printed where, and zygotes that die in between."""

import os
import select
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from django.conf import settings

from autograder.judge import grade as grading
from autograder.judge import pack
from autograder.judge.checks.compare import expect
from autograder.judge.checks.registry import Check
from autograder.judge.checks.student import Student
from autograder.judge.grade import TRIES, Judge
from autograder.judge.pack import Pack
from autograder.judge.report import CheckResult, Report
from autograder.judge.text import CUT
from autograder.library.sandboxes import backend
from sandbox.errors import JobKilled

Write = Callable[..., Path]

ECHO = b"def echo(x):\n    return x\n"
SHOWN = """
import random
print("loaded", random.random())

def echo(x):
    print("asked", type(x).__name__, random.random())
    return x if x != "word" else str(random.random())
"""


@pytest.fixture
def exercise(write_exercise: Write) -> Pack:
    return pack.load(write_exercise())


def without_seconds(report: Report) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(report, seconds=0.0))


# -- repeating -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [SHOWN.encode(), ECHO, b"def echo(x): return hash(str(x))", b"1 / 0"])
def test_the_same_seed_gives_the_same_report_in_another_judge(judge: Judge, exercise: Pack, source: bytes) -> None:
    with Judge(backend(), judge.ceiling) as other:
        reports = [without_seconds(one.grade(exercise, source, seed=11)) for one in (judge, judge, other)]
    assert reports[0] == reports[1] == reports[2]


def test_another_seed_asks_other_questions(judge: Judge, exercise: Pack) -> None:
    source = b"def echo(x):\n    print(x)\n    return x\n"
    one, other = (judge.grade(exercise, source, seed).checks[0].stdout for seed in (1, 2))
    assert one != other


def test_a_check_is_asked_the_same_whatever_stands_before_it(judge: Judge, exercise: Pack) -> None:
    source = b"def echo(x):\n    print(x)\n    return x\n"
    checks = tuple(replace(check, hidden=False) for check in exercise.checks)  # hidden ones come last in any case
    straight, backwards = (judge.grade(replace(exercise, checks=some), source, 5) for some in (checks, checks[::-1]))
    assert [check.id for check in straight.checks] != [check.id for check in backwards.checks]
    assert straight.checks[0].stdout == backwards.checks[1].stdout


def test_public_checks_are_asked_before_hidden_ones(judge: Judge, exercise: Pack) -> None:
    """What a hidden check asks must not be printed under a public one that comes later."""
    turned = replace(exercise, checks=exercise.checks[::-1])
    assert [check.hidden for check in turned.checks] == [True, False]
    assert [check.hidden for check in judge.grade(turned, ECHO, 5).checks] == [False, True]


def test_without_a_seed_the_report_says_which_was_drawn(judge: Judge, exercise: Pack) -> None:
    first = judge.grade(exercise, SHOWN.encode())
    assert without_seconds(judge.grade(exercise, SHOWN.encode(), first.seed)) == without_seconds(first)
    assert judge.grade(exercise, ECHO).seed != first.seed


def test_a_report_survives_json(judge: Judge, exercise: Pack) -> None:
    for source in (ECHO, b"def echo(x): return [float('nan'), 10**30, x]", b"def echo(x): return None"):
        report = judge.grade(exercise, source, 0)
        assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report


def test_a_report_names_what_it_was_made_with(judge: Judge, exercise: Pack) -> None:
    report = judge.grade(exercise, ECHO, 0)
    assert (report.exercise, report.version, report.profile) == ("echo", exercise.version, "python")
    assert report.sandbox == settings.SANDBOX and "python" in {name.lower() for name in report.libraries}


# -- what was printed ----------------------------------------------------------------------------------------------


def test_what_is_printed_stands_where_it_was_printed(judge: Judge, exercise: Pack) -> None:
    source = b"print('loading')\ndef echo(x):\n    print('asked', type(x).__name__)\n    return x\n"
    report = judge.grade(exercise, source, 0)
    assert report.stdout == "loading\n"
    assert [check.stdout for check in report.checks] == ["asked int\n", "asked str\n"]


def test_errors_are_printed_to_the_same_place(judge: Judge, exercise: Pack) -> None:
    report = judge.grade(exercise, b"import sys\nprint('err', file=sys.stderr)\necho = lambda x: x\n", 0)
    assert report.stdout == "err\n"


def test_what_was_printed_before_an_exception_is_kept(judge: Judge, exercise: Pack) -> None:
    assert judge.grade(exercise, b"print('so far')\n1 / 0\n", 0).stdout == "so far\n"


def test_what_was_printed_before_a_crash_is_kept(judge: Judge, exercise: Pack) -> None:
    report = judge.grade(exercise, b"import os\nprint('so far', flush=True)\nos._exit(1)\n", 0)
    assert report.stdout == "so far\n"
    source = b"import os\ndef echo(x):\n    print('so far', flush=True)\n    os._exit(1)\n"
    assert judge.grade(exercise, source, 0).checks[0].stdout == "so far\n"


def test_printed_control_characters_are_written_out(judge: Judge, exercise: Pack) -> None:
    report = judge.grade(exercise, b"print('\\x1b[2J\\u202e\\ud800')\necho = lambda x: x\n", 0)
    assert "\x1b" not in report.stdout and "\u202e" not in report.stdout and "\\x1b[2J" in report.stdout


def test_long_output_is_cut_and_says_so(judge: Judge, exercise: Pack) -> None:
    report = judge.grade(exercise, b"print('x' * 200_000)\necho = lambda x: x\n", 0)
    assert report.verdict == "passed" and report.stdout.endswith(CUT) and len(report.stdout) < 70_000


def test_output_that_fills_one_check_is_not_missing_in_the_next(judge: Judge, exercise: Pack) -> None:
    source = b"def echo(x):\n    print('x' * (200_000 if x != 'word' else 1))\n    return x\n"
    first, second = judge.grade(exercise, source, 0).checks
    assert first.stdout.endswith(CUT)
    assert second.stdout == "x\n"


# -- zygotes that die ----------------------------------------------------------------------------------------------


def children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def zygote_of(judge: Judge) -> int:
    """The first process below the launcher that runs Python."""
    launcher = judge.sandbox("python").launcher_pid
    assert launcher is not None
    waiting = [launcher]
    for pid in waiting:
        if "python" in os.path.basename(os.readlink(f"/proc/{pid}/exe")):
            return pid
        waiting += children(pid)
    raise AssertionError("no zygote below the launcher")


def kill_zygote(judge: Judge, _: Student | None = None) -> int:
    """By the time it has ended its jobs have been told to die as well."""
    return kill(zygote_of(judge))


def kill(pid: int) -> int:
    """And see it end."""
    descriptor = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        assert select.select([descriptor], [], [], 10.0)[0]
    finally:
        os.close(descriptor)
    return pid


def with_deaths(
    judge: Judge, exercise: Pack, deaths: int, when: int = 1, kill: Callable[[Judge, Student], int] = kill_zygote
) -> tuple[Pack, list[int]]:
    """The exercise with a check at position `when` that kills the zygote the first few times, then asks as usual."""
    killed: list[int] = []

    def run(student: Student, rng: np.random.Generator) -> None:
        if len(killed) < deaths:
            killed.append(kill(judge, student))
        expect(student.call("echo", 5) == 5, "echo(5) should be 5.")

    first, second = exercise.checks
    deadly = Check("deadly", "Deadly", 0.0, False, None, run)
    checks = [first, second]
    checks.insert(when, deadly)
    return replace(exercise, checks=tuple(checks)), killed


@pytest.mark.parametrize("deaths", range(1, TRIES))
@pytest.mark.parametrize("when", [0, 1, 2])
def test_a_zygote_killed_in_the_middle_costs_nothing(judge: Judge, exercise: Pack, deaths: int, when: int) -> None:
    deadly, killed = with_deaths(judge, exercise, deaths, when)
    report = judge.grade(deadly, ECHO, 0)
    assert (report.verdict, report.score, report.message) == ("passed", 3, "")
    assert len(set(killed)) == deaths
    assert len(report.checks) == 3


def test_a_wrong_submission_is_wrong_after_a_death_too(judge: Judge, exercise: Pack) -> None:
    deadly, killed = with_deaths(judge, exercise, 1)
    report = judge.grade(deadly, b"def echo(x): return x if type(x) is int else None", 0)
    assert (report.verdict, report.score) == ("partial", 1) and len(killed) == 1


def test_zygotes_that_die_every_time_are_our_fault(judge: Judge, exercise: Pack) -> None:
    deadly, killed = with_deaths(judge, exercise, TRIES + 1)
    report = judge.grade(deadly, ECHO, 0)
    assert (report.verdict, report.reason, report.score) == ("internal", None, 0)
    assert f"The sandbox failed {TRIES} times" in report.message and len(killed) == TRIES
    assert all(check.message == "This check did not run." for check in report.checks)


def test_the_judge_grades_on_after_zygotes_that_died_every_time(judge: Judge, exercise: Pack) -> None:
    deadly, _ = with_deaths(judge, exercise, TRIES + 1)
    judge.grade(deadly, ECHO, 0)
    assert judge.grade(exercise, ECHO, 0).verdict == "passed"


def test_a_zygote_killed_between_two_gradings_is_replaced(judge: Judge, exercise: Pack) -> None:
    judge.grade(exercise, ECHO, 0)
    kill_zygote(judge)
    assert judge.grade(exercise, ECHO, 0).verdict == "passed"


def test_a_report_after_a_death_is_the_one_without(judge: Judge, exercise: Pack) -> None:
    """A second attempt starts from nothing: same seed, same questions, same output."""
    deadly, _ = with_deaths(judge, exercise, 1, when=2)
    calm, _ = with_deaths(judge, exercise, 0, when=2)
    assert without_seconds(judge.grade(deadly, SHOWN.encode(), 3)) == without_seconds(judge.grade(calm, SHOWN.encode(), 3))


def test_a_job_that_the_machine_killed_is_graded_again_from_the_start(
    judge: Judge, exercise: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Perhaps for somebody else's memory: it says nothing about the submission."""
    run, killed = grading._Grading.run, list[bool]()

    def killed_once(self: grading._Grading, *, last: bool) -> None:
        if not killed:
            killed.append(last)
            raise JobKilled("memory", "machine")
        run(self, last=last)

    monkeypatch.setattr(grading._Grading, "run", killed_once)
    assert judge.grade(exercise, ECHO, 0).verdict == "passed"
    assert killed == [False]


def test_a_zygote_killed_after_its_last_answer_is_named_in_the_report(judge: Judge, exercise: Pack) -> None:
    whole = without_seconds(judge.grade(exercise, ECHO, 0))

    def kill_after_the_last(result: CheckResult) -> bool:
        if result.id == exercise.checks[-1].id:
            kill_zygote(judge)
        return False

    deaths = sum(judge.deaths().values())
    assert without_seconds(judge.grade(exercise, ECHO, 0, enough=kill_after_the_last)) == whole
    assert without_seconds(judge.grade(exercise, ECHO, 0)) == whole
    assert sum(judge.deaths().values()) == deaths + 1  # noticed at the end of the first grading or before the second
