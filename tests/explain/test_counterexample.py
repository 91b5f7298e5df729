"""The smallest counterexample to a wrong VJP: exact, small, of the same kind as the failure, and never from a guess."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from autograder.explain import counterexample as module
from autograder.explain.counterexample import counterexample
from autograder.explain.diagnosis import prediction
from autograder.explain.misconceptions.numbers import example_of
from autograder.judge import pack as pack_files
from autograder.judge.arrays import Numbers
from autograder.judge.checks.registry import Check
from autograder.judge.checks.student import Student
from autograder.judge.checks.vjp import Case, ComparedVjp, expect_vjp
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.prove.stored_proofs import wrong_endings
from tests.replays import explained

SUM_OF_SQUARES = "import numpy as np\ndef f_vjp(g, x):\n    return ({},)\n"


def truth(g: Numbers, x: Numbers) -> tuple[Numbers]:
    return (np.asarray(2 * g * x),)


def squares(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "f_vjp", truth, [Case({"x": rng.normal(size=(3, 4))}, ())], rng)


CHECK = Check("squares", "Squares", 1.0, False, None, squares)
Found = Callable[[str], str]


@pytest.fixture
def found(enter: Callable[..., Student]) -> Found:
    """`found(expression)`: the counterexample to a solution that returns this expression, in words; empty if there is none."""

    def search(expression: str) -> str:
        example = counterexample(enter(SUM_OF_SQUARES.format(expression), "numpy"), CHECK, 1)
        return example_of(example) if example else ""

    return search


def test_a_wrong_factor_is_shown_on_one_small_number(found: Found) -> None:
    assert found("g * x") == (
        "f_vjp(g, x) with g = 1, x = [[1]]: the gradient with respect to x should be [[2]], but is [[1]]."
    )


def test_a_missing_upstream_gradient_needs_one_that_is_not_1(found: Found) -> None:
    example = found("2 * x")
    assert "g = 1," not in example and "should be" in example


def test_a_mistake_that_needs_two_entries_keeps_two(found: Found) -> None:
    example = found("2 * g * x[..., ::-1]")
    assert "x = [[1, 2]]" in example and "should be [[2, 4]], but is [[4, 2]]" in example


def test_a_wrong_shape_stays_a_wrong_shape(found: Found) -> None:
    assert found("(2 * g * x).ravel()").endswith("should be [[2]], but is [2].")


def test_an_answer_that_is_too_large_to_be_stored_is_shown_by_its_shape(found: Found) -> None:
    """64 copies of the gradient, whose mean is right."""
    assert found("np.tile(2 * g * x, (64, 1, 1))").endswith("should be [[2]], but is an array of shape (64, 1, 1).")


@pytest.mark.parametrize("expression", ["2 * g * x", "None", "'x'", "(2 * g * x).astype(np.float32)", "1 / 0"])
def test_what_is_right_or_not_comparable_has_none(found: Found, expression: str) -> None:
    assert found(expression) == ""


def test_an_example_that_stays_large_is_not_shown(found: Found) -> None:
    assert found("2 * g * x if x.size < 12 else g * x") == ""


def test_answers_that_are_not_repeated_are_not_claimed(enter: Callable[..., Student]) -> None:
    source = "calls = []\ndef f_vjp(g, x):\n    calls.append(1)\n    return (g * x * (1 if len(calls) < 3 else 2),)\n"
    student = enter(source, "numpy")
    assert counterexample(student, CHECK, 1) is None


def test_a_submission_that_ends_or_hangs_during_the_search_has_none(judge: Judge, enter: Callable[..., Student]) -> None:
    source = "import os\ncalls = []\ndef f_vjp(g, x):\n    calls.append(1)\n    return (g * x,) if len(calls) < 3 else os._exit(3)\n"
    assert counterexample(enter(source, "numpy"), CHECK, 1) is None


def test_the_search_is_bounded(enter: Callable[..., Student], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[ComparedVjp] = []
    ask = module._ask

    def counted(student: Student, case: ComparedVjp) -> object:
        asked.append(case)
        return ask(student, case)

    monkeypatch.setattr(module, "_ask", counted)
    counterexample(enter(SUM_OF_SQUARES.format("g * x * x"), "numpy"), CHECK, 1)
    assert 1 < len(asked) <= module.ROUNDS * module.CANDIDATES + 1


def test_indices_and_their_shapes_stay_as_they_are(enter: Callable[..., Student]) -> None:
    def gathered(g: Numbers, x: Numbers, index: Numbers) -> tuple[Numbers, Numbers]:
        dx = np.zeros(x.shape)
        np.add.at(dx, index, g)
        return dx, np.zeros(index.shape)

    def run(student: Student, rng: np.random.Generator) -> None:
        case = Case({"x": rng.normal(size=4), "index": np.array([3, 3, 0])}, (3,))
        expect_vjp(student, "f_vjp", gathered, [case], rng)

    source = """
import numpy as np
def f_vjp(g, x, index):
    dx = np.zeros(x.shape)
    dx[index] = g
    return dx, np.zeros(index.shape)
"""
    example = counterexample(enter(source, "numpy"), Check("c", "c", 1.0, False, None, run), 1)
    assert example is not None and example.inputs["index"].values == ("3", "3", "0")
    assert len(example.inputs["x"].values) == 4


def test_the_explanation_of_a_wrong_vjp_has_the_example_of_its_first_check(judge: Judge, packs: dict[str, Pack]) -> None:
    pack = packs["vjp-matmul"]
    source = pack.wrong["missing-unbroadcast"]
    known = prediction.predict(judge, pack, [], proved=wrong_endings)
    (only,) = explained(judge, pack, source, judge.grade(pack, source, 7), known)
    assert only.counterexample is not None
    assert not only.checks or only.counterexample.check in only.checks
    assert example_of(only.counterexample).startswith("matmul_vjp(g, a, b) with g = [[[1]]]")


def test_most_wrong_files_of_two_exercises_have_a_small_example(judge: Judge, packs: dict[str, Pack]) -> None:
    """The others are wrong only for shapes with more entries."""
    found: list[bool] = []
    for pack in (packs["vjp-unbroadcast"], packs["vjp-matmul"]):
        for source in pack.wrong.values():
            report = judge.grade(pack, source, 7)
            failed = [result.id for result in report.checks if result.ending == "failed"]
            checks = [check for check in pack.checks if check.id in failed][:3]
            if not checks:  # it raises
                continue
            with judge.sandbox(pack.settings.profile).session() as session:
                session.load(source, 0, pack.entry_points)
                examples = [counterexample(Student(session), check, 7) for check in checks]
            found.append(any(examples))
            for example in filter(None, examples):
                assert sum(len(shown.values) for shown in example.inputs.values()) <= module.MAX_ENTRIES
    assert sum(found) >= 0.75 * len(found), found


PUBLIC_AND_HIDDEN = """
import numpy as np
from autograder.judge.checks import check
from autograder.judge.checks.vjp import Case, expect_vjp

def truth(g, x):
    return (2 * g * x,)

@check("Small", points=1)
def small(student, rng):
    expect_vjp(student, "f_vjp", truth, [Case({"x": rng.normal(size=2)}, (2,))], rng)

@check("Large", points=2, hidden=True)
def large(student, rng):
    expect_vjp(student, "f_vjp", truth, [Case({"x": rng.normal(size=20)}, (20,))], rng)
"""
SETTINGS = """
title = "Squares"
kind = "vjp"
profile = "numpy"
unit = "Tests"
points = 3
difficulty = 1

[[entry_points]]
name = "f_vjp"
signature = "f_vjp(g, x)"
"""
TALKATIVE = """
import numpy as np
asked = []
def f_vjp(g, x):
    asked.append(x.size)
    return (g * x * (1.0 if max(asked) < 20 else 7.0),)
"""


def test_a_counterexample_to_a_public_check_comes_from_a_process_that_was_asked_nothing_hidden(
    judge: Judge, write_exercise: Callable[..., Path]
) -> None:
    """Otherwise a submission could answer with what the hidden checks asked, and read it on the page."""
    solution = SUM_OF_SQUARES.format("2 * g * x")
    files = {"solution.py": solution, "right/lambda.py": solution, "wrong/silent.py": TALKATIVE}
    pack = pack_files.load(write_exercise({"exercise.toml": SETTINGS, "checks.py": PUBLIC_AND_HIDDEN, **files}))
    source = TALKATIVE.encode()
    (only,) = explained(
        judge,
        pack,
        source,
        judge.grade(pack, source, 7),
        prediction.predict(judge, pack, [], proved=wrong_endings),
    )
    assert only.counterexample is not None and only.counterexample.check == "small"
    assert example_of(only.counterexample).endswith("should be [2], but is [1].")
