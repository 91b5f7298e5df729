"""A scratch run through a real grader and sandbox: output, last value, and exception."""

import math
from typing import Any

import pytest
from django.utils import timezone

from autograder.judge.grade import Slot
from autograder.judge.pack import PackError
from autograder.submissions.grader import Grader
from autograder.submissions.models import Event, Grading, ScratchRun, Submission, Work, Worker
from autograder.submissions.scratch import worker
from autograder.submissions.scratch.answer import VALUE_LIMIT
from sandbox.errors import LayerMissing, SandboxError
from tests.submissions.scratch.conftest import CODE, Answers, Asks

pytestmark = pytest.mark.django_db
Place = tuple[str, int, str]


def places(answer: Any) -> list[Place]:
    return [(line.place, line.number, line.text) for line in answer.lines]


def test_what_is_printed_and_the_value_of_the_last_line(answers: Answers) -> None:
    answer = answers("a = 3\nprint('three', a)\ndouble(a)")
    assert (answer.reason, answer.output, answer.value) == (None, "three 3\ndoubling 3\n", "6")


@pytest.mark.parametrize(
    ("calls", "value"),
    [
        ("'text'", "'text'"),
        ("(1, [2.0], {3: None})", "(1, [2.0], {3: None})"),
        ("None", None),
        ("double(2) and None", None),
        ("x = 5", None),
        ("for n in range(3): n", None),
        ("# only a comment", None),
        ("(lambda: 7)();", "7"),
        ("f'{double(4)}'", "'8'"),
        ("'\\ud800 \\x1b[31m \\u202e'", "'\\ud800 \\x1b[31m \\u202e'"),
    ],
)
def test_the_value_is_what_a_repl_shows(answers: Answers, calls: str, value: str | None) -> None:
    assert answers(calls).value == value


def test_calls_share_the_names_of_the_code(answers: Answers) -> None:
    assert answers("y = double(1)\ndouble = lambda x: 0\nagain()", f"{CODE}\ndef again(): return double(2)").value == "0"
    assert answers("__name__", "import sys").value == "'submission'"


def test_each_run_is_a_fresh_process_with_the_same_random_numbers(answers: Answers) -> None:
    code = "import random\nseen = []"
    assert (
        answers("seen.append(random.random()); seen", code).value
        == answers("seen.append(random.random()); seen", code).value
    )


def test_an_exception_names_the_lines_of_calls_and_code(answers: Answers) -> None:
    answer = answers("double(1)\ninverse(0)")
    assert (answer.reason, answer.place, answer.message) == ("exception", "scratch", "ZeroDivisionError: division by zero")
    assert places(answer) == [("scratch", 2, "inverse(0)"), ("code", 7, "return 1 / x")]
    assert [line.function for line in answer.lines] == ["<module>", "inverse"]
    assert answer.output == "doubling 1\n"


def test_an_exception_of_the_students_own_class_and_of_a_repr(answers: Answers) -> None:
    code = "class Odd(Exception): pass\nclass Shy:\n    def __repr__(self):\n        raise Odd('not now')"
    answer = answers("Shy()", code)
    assert answer.message == "Odd: not now"
    assert places(answer) == [("code", 4, "raise Odd('not now')")]


def test_a_deep_recursion_names_the_call_and_its_end(answers: Answers) -> None:
    answer = answers("def down(n):\n    return down(n + 1)\n\ndown(0)")
    assert answer.message.startswith("RecursionError")
    assert places(answer) == [("scratch", 4, "down(0)"), ("scratch", 2, "return down(n + 1)")]


@pytest.mark.parametrize(("calls", "line"), [("x = (", 1), ("y = 1\ndef f(:", 2), ("a\0b", None)])
def test_calls_that_python_cannot_read(answers: Answers, calls: str, line: int | None) -> None:
    answer = answers(calls)
    assert (answer.reason, answer.place) == ("source", "scratch")
    assert [(each.place, each.number) for each in answer.lines] == ([] if line is None else [("scratch", line)])


def test_code_that_python_cannot_read_and_code_that_raises(answers: Answers) -> None:
    unread = answers("1", "x = 1\ny = (")
    assert (unread.reason, unread.place, places(unread)) == ("source", "code", [("code", 2, "y = (")])
    raised = answers("1", "print('so far')\nx = 1 / 0")
    assert (raised.reason, raised.place, raised.output) == ("exception", "code", "so far\n")
    assert places(raised) == [("code", 2, "x = 1 / 0")]


def test_leaving_is_an_exception_like_any_other(answers: Answers) -> None:
    assert answers("raise SystemExit('enough')").message == "SystemExit: enough"
    assert answers("raise KeyboardInterrupt").message == "KeyboardInterrupt"


def test_a_long_value_is_cut(answers: Answers) -> None:
    answer = answers("'x' * 100_000")
    assert answer.value_cut
    assert answer.value is not None and len(answer.value) == VALUE_LIMIT
    assert not answers("'x' * 10").value_cut


def test_nothing_is_graded_counted_or_told(answers: Answers) -> None:
    answers("double(2)")
    assert not any(model.objects.exists() for model in (Submission, Work, Grading, Event))


# -- internal errors


def test_a_sandbox_that_breaks_is_tried_again_and_then_told(
    asks: Asks, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = asks("double(2)")

    def breaks(*_: object) -> None:
        raise SandboxError("it broke")

    monkeypatch.setattr(worker, "run_scratch", breaks)
    assert grader.work_once()
    run.refresh_from_db()
    assert (run.state, run.tries) == (ScratchRun.State.QUEUED, 1)
    assert grader.work_once()
    run.refresh_from_db()
    assert run.state == ScratchRun.State.FAILED


def test_a_missing_layer_costs_no_try_and_stops_the_worker(
    asks: Asks, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = asks("double(2)")

    def missing(_: Slot, profile: str) -> None:
        raise LayerMissing("seccomp", "the kernel refused the filter")

    for name, value in (("trouble", ""), ("layers", None), ("_next_try", math.inf)):
        monkeypatch.setattr(grader.sandboxes, name, value)
    with monkeypatch.context() as broken:
        broken.setattr(Slot, "sandbox", missing)
        assert grader.work_once()
    run.refresh_from_db()
    assert (run.state, run.tries) == (ScratchRun.State.QUEUED, 0)
    assert "refused the filter" in grader.sandboxes.trouble
    assert not grader.work_once()


@pytest.mark.parametrize("others", [True, False])
def test_an_exercise_that_cannot_be_read_is_left_to_others_if_there_are_any(
    asks: Asks, grader: Grader, others: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = asks("double(2)")

    def unreadable(version_id: int) -> None:
        raise PackError(f"version {version_id} is of another time")

    monkeypatch.setattr("autograder.submissions.grader.exercise_of", unreadable)
    monkeypatch.setattr(grader, "_unreadable", set())
    if others:
        now = timezone.now()
        Worker.objects.create(name="newer:1", version="another", started_at=now, seen_at=now)
    assert grader.work_once()
    run.refresh_from_db()
    assert (run.state, run.tries) == (ScratchRun.State.QUEUED, 0 if others else 1)
    assert grader.work_once() != others, "it is not claimed again by who cannot read it"
    run.refresh_from_db()
    assert run.state == (ScratchRun.State.QUEUED if others else ScratchRun.State.FAILED)
