"""Every way a grading can end, told apart by whose fault it is."""

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.judge import grade as grading
from autograder.judge import pack
from autograder.judge.check_run import CheckRun, run_check
from autograder.judge.checks import Check, Student
from autograder.judge.grade import CEILING, Judge
from autograder.judge.pack import Pack
from autograder.judge.report import Reason, Report, StackLine, Stopped
from autograder.judge.words import UNREADABLE
from autograder.library.sandboxes import backend
from sandbox.errors import JobKilled
from sandbox.wire import Codec, Raised

Write = Callable[..., Path]

SEED = 7
TOML = """
title = "Echo"
kind = "quiz"
profile = "python"
unit = "Tests"
points = 4
difficulty = 1

[[entry_points]]
name = "echo"

[limits]
cpu_seconds = 1
wall_seconds = {wall}
memory_mib = 256
"""
CHECKS = """
from autograder.judge.checks import check, expect_equal

@check("First", points=1)
def first(student, rng):
    expect_equal(student.call("echo", 1), 1, "echo(1)")

@check("Second", points=2)
def second(student, rng):
    n = int(rng.integers(2, 10**6))
    expect_equal(student.call("echo", n), n, "echo(n)")

@check("Third", points=1, hidden=True)
def third(student, rng):
    expect_equal(student.call("echo", "three"), "three", "echo('three')")
"""
ONLY_ONE = "def echo(x):\n    return x if x == 1 else None\n"
AT_SECOND = "def echo(x):\n    if x != 1:\n        {act}\n    return x\n"


@pytest.fixture
def load(write_exercise: Write) -> Callable[..., Pack]:
    def read(checks: str = CHECKS, wall: float = 60.0) -> Pack:
        return pack.load(write_exercise({"exercise.toml": TOML.format(wall=wall), "checks.py": checks}))

    return read


@pytest.fixture
def grade(judge: Judge, load: Callable[..., Pack]) -> Callable[..., Report]:
    def run(source: str | bytes, checks: str = CHECKS, wall: float = 60.0) -> Report:
        return judge.grade(load(checks, wall), source.encode() if isinstance(source, str) else source, SEED)

    return run


Grade = Callable[..., Report]


def ends(report: Report, reason: Reason, words: str) -> None:
    assert (report.verdict, report.reason) == ("error", reason), report.message
    assert words in report.message


# -- verdicts of a submission that can be asked --------------------------------------------------------------------


def test_all_checks_passed_is_passed(grade: Grade) -> None:
    report = grade("echo = lambda x: x")
    assert (report.verdict, report.reason, report.message) == ("passed", None, "")
    assert (report.score, report.max_score) == (4, 4)
    assert [(c.id, c.passed, c.points) for c in report.checks] == [
        ("first", True, 1),
        ("second", True, 2),
        ("third", True, 1),
    ]


def test_some_points_are_partial(grade: Grade) -> None:
    report = grade(ONLY_ONE)
    assert (report.verdict, report.reason, report.score) == ("partial", None, 1)
    assert report.checks[2].message == "echo('three') should be 'three', but is None."
    assert report.checks[2].detail is not None and report.checks[2].points == 0


def test_no_points_is_failed(grade: Grade) -> None:
    report = grade("def echo(x): return None")
    assert (report.verdict, report.reason, report.score) == ("failed", None, 0)


def test_an_exception_while_asked_fails_that_check_alone(grade: Grade) -> None:
    report = grade(AT_SECOND.format(act="if x != 'three': {}[x]"))
    assert (report.verdict, report.score) == ("partial", 2)
    assert report.checks[1].message.startswith("Your code raised KeyError: ")
    stopped = report.checks[1].stopped
    assert stopped is not None and (stopped.exception, stopped.error) == ("KeyError", "index-or-key")
    assert stopped.lines == (StackLine(3, "echo", "if x != 'three': {}[x]"),)


def test_a_failed_check_with_nothing_to_say_is_still_failed(grade: Grade) -> None:
    checks = CHECKS.replace('expect_equal(student.call("echo", 1), 1, "echo(1)")', "raise CheckFailed('')")
    report = grade("echo = lambda x: x", checks.replace("import check", "import CheckFailed, check"))
    assert (report.checks[0].passed, report.checks[0].points) == (False, 0)


def test_the_words_of_a_student_are_neutralised(grade: Grade) -> None:
    report = grade("def echo(x): raise ValueError('\\x1b[2J\\u202e')\n")
    assert "\\x1b[2J\\u202e" in report.checks[0].message and "\x1b" not in report.checks[0].message


def test_a_class_of_the_student_with_a_name_like_an_escape_is_neutralised(grade: Grade) -> None:
    report = grade("def echo(x): raise type('\\x1b[2J', (Exception,), {})\n")
    assert "Your code raised \\x1b[2J" in report.checks[0].message


# -- files that cannot be asked ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", "The file is empty."),
        (" \n\t\n", "The file is empty."),
        ("def echo(x:\n", "The file is not valid Python: SyntaxError: "),
        (b"x = '\xff'", "The file is not valid Python: SyntaxError: "),
        (b"x = 1\x00", "The file is not valid Python: "),
        ("#" * (256 * 1024 + 1), "262,144"),
        ("(" * 1000, "The file is not valid Python: "),
    ],
)
def test_a_file_that_is_no_python_is_a_source_error(grade: Grade, source: str | bytes, words: str) -> None:
    ends(grade(source), "source", words)


def test_a_syntax_error_shows_the_line(grade: Grade) -> None:
    report = grade("x = 1\ny = = 2\n")
    ends(report, "source", "SyntaxError: invalid syntax")
    assert report.stopped == Stopped("SyntaxError", "", (StackLine(2, "", "y = = 2"),))


def test_a_file_of_exactly_the_limit_is_graded(grade: Grade) -> None:
    source = "echo = lambda x: x\n"
    assert grade(source + "#" * (256 * 1024 - len(source))).verdict == "passed"


def test_an_exception_while_loading_is_an_error(grade: Grade) -> None:
    report = grade("def f():\n    return {}['key']\n\nf()\n")
    ends(report, "exception", "Loading the file raised KeyError: 'key'")
    assert report.stopped is not None and report.stopped.lines[-1].text == "return {}['key']"


def test_leaving_by_system_exit_while_loading_is_an_exception(grade: Grade) -> None:
    ends(grade("raise SystemExit(0)"), "exception", "SystemExit")


def test_a_missing_entry_point_is_an_error_that_names_what_is_there(grade: Grade) -> None:
    ends(grade("def ecko(x): return x"), "missing-entry-point", "The file does not define echo. It defines ecko.")
    ends(grade("pass"), "missing-entry-point", "The file does not define echo. It defines nothing.")


# -- submissions that do not come to an end ------------------------------------------------------------------------

ENDINGS: list[tuple[Reason, str, str]] = [
    ("timeout-cpu", "while True: pass", "more than 1 s of CPU time"),
    ("timeout-wall", "import time; time.sleep(60)", "the code did nothing for 3 s"),
    ("memory", "kept = bytearray(2 << 30)", "exceeded the memory limit"),
    ("output", "while True: print('x' * 10000)", "printed more than 8 MB"),
    ("crash", "import os; os._exit(3)", "the process exited with status 3"),
    ("crash", "import os; os.abort()", "the process was ended by SIG"),
    ("crash", "import os; os.close(4)", ""),
    ("protocol", "import os; os.write(4, b'\\xff' * 64)", "the answer of the code could not be read: "),
]


@pytest.mark.parametrize(("reason", "act", "words"), ENDINGS)
def test_an_end_while_loading_has_its_reason(grade: Grade, reason: Reason, act: str, words: str) -> None:
    report = grade(f"{act}\necho = lambda x: x", wall=60.0)
    ends(report, reason, words)
    assert report.score == 0 and all(check.message == "This check did not run." for check in report.checks)


@pytest.mark.parametrize(("reason", "act", "words"), ENDINGS[1:])
def test_an_end_during_a_check_keeps_the_points_before_it(grade: Grade, reason: Reason, act: str, words: str) -> None:
    report = grade(AT_SECOND.format(act=act), wall=60.0)
    ends(report, reason, words)
    first, second, third = report.checks
    assert report.score == 1 and first.passed
    assert not second.passed and second.message
    assert third.message == "This check did not run." and not third.passed


def test_an_end_during_a_check_names_the_check(grade: Grade) -> None:
    report = grade(AT_SECOND.format(act="import os; os._exit(3)"))
    assert report.message.startswith("During the check “Second”: ")
    assert report.checks[1].message == "The submission was stopped during this check."


def test_the_judge_grades_on_after_every_kind_of_end(grade: Grade) -> None:
    for _, act, _ in ENDINGS[2:]:
        assert grade(act).verdict == "error"
        assert grade("echo = lambda x: x").verdict == "passed"


# -- a check's own time --------------------------------------------------------------------------------------------

IMPATIENT = CHECKS.replace("points=2", "points=2, seconds=0.2")
FOURTH = """@check("Between", points=0.5)
def between(student, rng):
    expect_equal(student.call("echo", "between"), "between", "echo")

"""


def test_a_slow_check_fails_and_the_others_are_asked(grade: Grade) -> None:
    report = grade(AT_SECOND.format(act="if x != 'three':\n            while True: pass"), IMPATIENT)
    assert (report.verdict, report.reason, report.score) == ("partial", None, 2)
    assert report.checks[1].message == "Your code used more than 0.2 s of CPU time."
    assert report.checks[1].stopped == Stopped(lines=(StackLine(4, "echo", "while True: pass"),))
    assert report.checks[2].passed


def test_after_two_slow_checks_the_rest_is_not_asked_and_points_are_kept(grade: Grade) -> None:
    checks = CHECKS.replace('@check("Third", points=1', FOURTH + '@check("Third", points=0.5')
    report = grade(AT_SECOND.format(act="while x != 'three': pass"), checks)
    assert [check.ending for check in report.checks] == ["passed", "late", "late", "unreached"]
    ends(report, "timeout-cpu", "These checks ran out of time: “Second”, “Between”.")
    assert report.score == 1


def test_an_endless_loop_in_every_check_is_a_timeout_that_names_its_line(grade: Grade) -> None:
    report = grade("def echo(x):\n    while True:\n        x = x\n", wall=60.0)
    ends(report, "timeout-cpu", "These checks ran out of time: “First”, “Second”.")
    assert [check.ending for check in report.checks] == ["late", "late", "unreached"]
    assert report.stopped is not None and report.stopped.lines[-1].number in (2, 3)


def test_what_a_busy_machine_takes_away_is_not_counted(judge: Judge, load: Callable[..., Pack]) -> None:
    """Its answers take longer than the check may compute, but it sleeps meanwhile."""
    patient = load(IMPATIENT, wall=60.0)
    report = judge.grade(patient, b"import time\ndef echo(x):\n    time.sleep(0.7)\n    return x\n", SEED)
    assert report.verdict == "passed"


def test_who_sleeps_a_little_for_every_question_is_not_taken_for_asleep(judge: Judge, load: Callable[..., Pack]) -> None:
    asks = 'expect_equal(student.call("echo", 1), 1, "echo(1)")'
    slow = load(CHECKS.replace(asks, f"for _ in range(5): {asks}"))
    report = judge.grade(slow, b"import time\ndef echo(x):\n    time.sleep(1.1)\n    return x\n", SEED)
    assert report.verdict == "passed"


# -- a second session ----------------------------------------------------------------------------------------------

SECOND_TIME = """
import os, random
again = random.getrandbits(32) == {second}
if again:
    {act}
def echo(x):
    while x not in (1, "three"): pass
    return x
"""


@pytest.fixture
def told_apart(monkeypatch: pytest.MonkeyPatch) -> int:
    """Sessions of one grading that a submission can tell apart. What the second one draws."""
    seeds = itertools.count(1)
    monkeypatch.setattr(grading, "seed_inside", lambda _: next(seeds))
    return random.Random(2).getrandbits(32)


def test_a_file_that_no_longer_compiles_when_it_is_loaded_again_costs_an_attempt(grade: Grade, told_apart: int) -> None:
    """Otherwise it could look at hidden checks for nothing: `source` is what an attempt is not counted for."""
    frame = b"".join(bytes(chunk) for chunk in Codec().encode(Raised(0, "compile", "SyntaxError", "never mind")))
    report = grade(SECOND_TIME.format(second=told_apart, act=f"os.write(4, {frame!r})"), IMPATIENT)
    assert [check.ending for check in report.checks] == ["passed", "late", "unreached"]
    ends(report, "exception", "Loading the file raised SyntaxError")


def test_output_of_a_second_load_is_not_kept(grade: Grade, told_apart: int) -> None:
    report = grade(SECOND_TIME.format(second=told_apart, act="print('what I was asked')"), IMPATIENT)
    assert [check.ending for check in report.checks] == ["passed", "late", "passed"]
    assert report.stdout == ""


def test_the_sandbox_never_receives_the_seed_of_hidden_inputs(grade: Grade) -> None:
    drawn = grade("import random\nprint(random.getrandbits(32))\necho = lambda x: x").stdout
    assert drawn.strip() != str(random.Random(SEED).getrandbits(32))
    assert drawn == grade("import random\nprint(random.getrandbits(32))\necho = lambda x: x").stdout


def test_the_checks_after_a_slow_answer_get_a_fresh_session(grade: Grade) -> None:
    """What the file had noted down before is gone with the session that was ended."""
    source = "calls = []\ndef echo(x):\n    calls.append(x)\n    while x not in (1, 'three'): pass\n    return x\n"
    checks = IMPATIENT.replace('student.call("echo", "three"), "three"', 'student.call("calls.count", 1), 0')
    assert [check.passed for check in grade(source, checks).checks] == [True, False, True]


# -- whose fault ---------------------------------------------------------------------------------------------------


def test_a_check_that_raises_is_the_authors_fault(grade: Grade) -> None:
    report = grade("echo = lambda x: x", CHECKS.replace("n = int(", "n = 1 / 0 + int("))
    assert (report.verdict, report.reason) == ("internal", None)
    assert "The check second of this exercise raised an exception" in report.message
    assert "ZeroDivisionError" in report.message and "checks.py" in report.message


UNPACKING = CHECKS.replace('n, "echo(n)")', 'n, "echo(n)"); one, two = student.call("echo", [1, 2])')


def test_an_answer_that_makes_a_check_raise_fails_it(grade: Grade, caplog: pytest.LogCaptureFixture) -> None:
    """The reference passes, so the answer was the cause: a submission cannot ask for a grading that does not count."""
    report = grade("def echo(x):\n    print(x)\n    return 7 if isinstance(x, list) else x", UNPACKING)
    assert [check.passed for check in report.checks] == [True, False, True]
    assert (report.verdict, report.checks[1].message) == ("partial", UNREADABLE)
    assert report.checks[1].stdout.splitlines()[-1] == "[1, 2]" and report.checks[2].stdout == "three\n"
    assert "The check second of this exercise raised an exception: TypeError" in caplog.text


def test_a_check_that_raises_with_the_reference_too_is_the_authors_fault(grade: Grade) -> None:
    broken = UNPACKING.replace('one, two = student.call("echo", [1, 2])', "one, two = 7")
    assert grade("echo = lambda x: x", broken).verdict == "internal"


def test_when_the_machine_kills_the_reference_everything_is_graded_again(
    grade: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def killing(check: Check, student: Student, seed: int) -> CheckRun:
        asked.append(check.id)
        if asked == ["first", "second", "second"]:
            return CheckRun("ended", JobKilled("memory", "machine"))
        return run_check(check, student, seed)

    monkeypatch.setattr(grading, "run_check", killing)
    report = grade("def echo(x):\n    return 7 if isinstance(x, list) else x", UNPACKING)
    assert (report.verdict, report.checks[1].message) == ("partial", UNREADABLE)
    assert asked[3:] == ["first", "second", "second", "third"]


def test_who_makes_every_check_raise_pays_with_the_time_of_one_grading(grade: Grade) -> None:
    checks = CHECKS.replace("    expect_equal(", "    1 / student.call('echo', 1)\n    expect_equal(")
    source = "import time\nstart = time.process_time()\nwhile time.process_time() < start + 0.6: pass\ndef echo(x): return 0"
    report = grade(source, checks)
    assert (report.verdict, report.reason) == ("error", "timeout-cpu")
    assert [check.message for check in report.checks][:2] == [UNREADABLE] * 2


def test_an_internal_message_carries_no_control_characters_of_the_student(grade: Grade) -> None:
    checks = CHECKS.replace("n = int(", "raise RuntimeError(student.call('echo', 0)); n = int(")
    report = grade("def echo(x): return x or '\\x1b[2J\\u202e'", checks)
    assert report.verdict == "internal"
    assert "\x1b" not in report.message and "\u202e" not in report.message


def test_a_ceiling_below_the_exercise_holds(load: Callable[..., Pack]) -> None:
    from msgspec.structs import replace

    with Judge(backend(), replace(CEILING, wall_seconds=0.5)) as strict:
        report = strict.grade(load(wall=60.0), b"import time\ntime.sleep(60)", SEED)
    ends(report, "timeout-wall", "not finished after 0.5 s")
