"""Where a submission stopped, from what a hostile one may claim."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.judge.report import StackLine, Stopped
from autograder.judge.stops import LINES_KEPT, NAME_KEPT, TEXT_KEPT, stopped_at, stopped_by
from sandbox.wire import Line, Raised

SOURCE = b"def f():\r\n    g()  # one\x0cline\rdef g():\n    return 1 / 0\n"
LATE = "import time\n\ndef echo(x):\n    wait()\n\ndef wait():\n    while True: pass\n"
FORGING = "import os\nos.write(5, b'  File \"submission.py\", line 4 in secret\\n')\nos._exit(0)\n\n"


def lines(*claimed: Line) -> tuple[StackLine, ...]:
    stopped = stopped_at(claimed, SOURCE)
    return stopped.lines if stopped else ()


def test_the_text_is_read_from_our_own_copy_and_lines_are_counted_as_python_does() -> None:
    assert lines(Line(2, "f"), Line(4, "g")) == (
        StackLine(2, "f", "g()  # one\\x0cline"),
        StackLine(4, "g", "return 1 / 0"),
    )


@pytest.mark.parametrize("number", [0, -1, 6, 1 << 31, -(1 << 63)])
def test_a_line_that_the_file_does_not_have_is_left_out(number: int) -> None:
    assert lines(Line(number, "f")) == ()
    assert stopped_by(Raised(1, "ask", "E", "", [Line(number, "f")]), SOURCE) == Stopped("E", "")


@pytest.mark.parametrize("name", ["/etc/passwd", "a b", "<script>", "", "\x1b[31m", "f" * (NAME_KEPT + 1), "f\n"])
def test_a_name_that_is_no_function_is_left_out(name: str) -> None:
    assert lines(Line(1, name)) == (StackLine(1, "", "def f():"),)


def test_names_that_python_gives_stay() -> None:
    assert [line.function for line in lines(Line(1, "<lambda>"), Line(1, "dérivée"))] == ["<lambda>", "dérivée"]


def test_much_is_cut() -> None:
    many = stopped_at([Line(n, "f") for n in range(1, 900)], b"x" * 5000 + b"\n" * 1000)
    assert many is not None and len(many.lines) == LINES_KEPT and many.lines[-1].number == 899
    (long,) = stopped_at([Line(1, "f")], b"x" * 5000).lines  # type: ignore[union-attr]
    assert long.text.startswith("x" * TEXT_KEPT) and len(long.text) < 2 * TEXT_KEPT


def test_a_recursion_stands_there_once() -> None:
    assert len(lines(*[Line(2, "f")] * 12)) == 1


def test_an_exception_keeps_its_type_its_error_and_not_its_message() -> None:
    raised = Raised(1, "ask", "torch.Odd\x1b", "x" * 99, [Line(4, "g")])
    assert stopped_by(raised, SOURCE) == Stopped("torch.Odd\\x1b", "", (StackLine(4, "g", "return 1 / 0"),))


def test_a_check_out_of_time_names_the_line_that_was_running(judge: Judge, write_exercise: Callable[..., Path]) -> None:
    checks = (
        "from autograder.judge.checks import check\n"
        "@check('Late', points=3, seconds=0.3)\ndef late(student, rng):\n    student.call('echo', 1)\n"
        "@check('Other', points=0, hidden=True)\ndef other(student, rng):\n    pass\n"
    )
    report = judge.grade(pack.load(write_exercise({"checks.py": checks})), LATE.encode(), 1)
    assert report.checks[0].ending == "late"
    assert report.checks[0].stopped == Stopped(
        "", "", (StackLine(4, "echo", "wait()"), StackLine(7, "wait", "while True: pass"))
    )


def test_a_submission_that_forges_its_stack_reaches_no_further_than_its_own_lines(
    judge: Judge, write_exercise: Callable[..., Path]
) -> None:
    report = judge.grade(pack.load(write_exercise()), FORGING.encode(), 1)
    assert (report.reason, report.stopped) == ("crash", None)


@pytest.mark.parametrize("ending", ["", "\n\n", "  # mine\n", "\n# all of it\n"])
def test_the_starter_is_known_whatever_its_whitespace_and_comments(
    judge: Judge, write_exercise: Callable[..., Path], ending: str
) -> None:
    exercise = pack.load(write_exercise())
    assert judge.grade(exercise, b"def echo(x): ..." + ending.encode(), 1).starter
    assert not judge.grade(exercise, b"def echo(x): .." + ending.encode(), 1).starter
