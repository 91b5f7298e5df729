"""Ways to the numbers of a gradient that are no calculus, in every exercise that asks for gradients of arrays.

Each file of `shortcuts/` is one way. It stands behind the solution, whose functions give the form of an answer, computed from
other numbers, so that no right one exists. What a file finds to put there earns no more than zeros do.
"""

from pathlib import Path

import pytest

from autograder.judge import pack
from autograder.judge.grade import Judge
from autograder.judge.pack import Pack
from autograder.judge.report import Report
from tests.conftest import EXERCISES

pytestmark = [pytest.mark.hostile, pytest.mark.slow]

SEED = 20
UNITS = ("hand-written-vjps", "layers-with-a-cache", "stability-and-kinks")
GRADIENTS = ("vjp", "backward", "loss")
FOLDER = Path(__file__).parent / "shortcuts"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
FROM_RIGHT_ANSWERS = {"half_precision", "one_entry_hides_others", "replay"}
HARNESS = """

import itertools
import numpy as np

RIGHT = {{name: globals()[name] for name in {names}}}
CALLS = itertools.count()


def elsewhere(value):
    if type(value) is np.ndarray:
        if value.dtype != float:
            return value.copy()
        return np.linspace(0.5, 1.5, value.size).reshape(value.shape)
    if isinstance(value, dict):
        return {{key: elsewhere(item) for key, item in value.items()}}
    return type(value)(map(elsewhere, value)) if type(value) in (list, tuple) else value


def in_each_array(answer, put):
    if type(answer) is np.ndarray:
        return put(answer)
    if isinstance(answer, dict):
        return {{key: in_each_array(item, put) for key, item in answer.items()}}
    return type(answer)(in_each_array(item, put) for item in answer) if type(answer) in (list, tuple) else answer


def cheating(name):
    def call(*arguments, **options):
        print("called")
        if "changed" in globals():
            return in_each_array(RIGHT[name](*arguments, **options), changed)
        if "keep" in globals() and next(CALLS) < {honest}:
            right = RIGHT[name](*arguments, **options)
            in_each_array(right, lambda array: keep(name, array))
            return right
        form = RIGHT[name](*map(elsewhere, arguments), **options)
        return in_each_array(form, lambda array: found(np.zeros(array.shape), name, arguments))

    return call


for each in RIGHT:
    globals()[each] = cheating(each)
"""
EXERCISES_OF_ARRAYS = sorted(
    folder.parent.name
    for unit in UNITS
    for folder in (EXERCISES / unit).glob("*/exercise.toml")
    if pack.load(folder.parent).settings.profile == "numpy"
)


class Cheat:
    def __init__(self, judge: Judge, exercise: Pack) -> None:
        self.judge, self.exercise = judge, exercise
        self.names = [name for name in exercise.entry_points if any(word in name for word in GRADIENTS)]

    def graded(self, shortcut: str, *, honest: int = 0) -> Report:
        way = (FOLDER / f"{shortcut}.py").read_text()
        source = f"{self.exercise.solution.decode()}\n\n{way}{HARNESS.format(names=self.names, honest=honest)}"
        report = self.judge.grade(self.exercise, source.encode(), SEED)
        assert report.verdict != "internal", report.message
        assert called(report), f"no gradient was asked for: {report.message}"
        return report


def called(report: Report, *, public: bool = False) -> int:
    return sum(check.stdout.count("called") for check in report.checks if not (public and check.hidden))


def hidden_points(report: Report) -> float:
    return sum(check.points for check in report.checks if check.hidden)


@pytest.mark.parametrize("slug", EXERCISES_OF_ARRAYS)
def test_no_shortcut_earns_more_than_zeros(judge: Judge, slug: str) -> None:
    cheat = Cheat(judge, pack.load(pack.find(EXERCISES, slug)))
    zeros = cheat.graded("zeros")
    assert hidden_points(zeros) < zeros.max_score / 2
    for shortcut in sorted(set(NAMES) - FROM_RIGHT_ANSWERS - {"zeros"}):
        report = cheat.graded(shortcut)
        assert report.score <= zeros.score, f"{shortcut}: {[check.id for check in report.checks if check.passed]}"


@pytest.mark.parametrize("slug", EXERCISES_OF_ARRAYS)
def test_no_point_of_a_hidden_check_is_to_be_had_from_right_answers_to_others(judge: Judge, slug: str) -> None:
    cheat = Cheat(judge, pack.load(pack.find(EXERCISES, slug)))
    honest = called(cheat.graded("replay", honest=1_000_000), public=True)
    zeros, report = cheat.graded("zeros"), cheat.graded("replay", honest=honest)
    assert all(check.passed for check in report.checks if not check.hidden)
    assert hidden_points(report) <= hidden_points(zeros), [check.id for check in report.checks if check.passed]


@pytest.mark.parametrize("slug", EXERCISES_OF_ARRAYS)
def test_no_right_answer_may_be_rounded(judge: Judge, slug: str) -> None:
    cheat = Cheat(judge, pack.load(pack.find(EXERCISES, slug)))
    for shortcut in ("half_precision", "one_entry_hides_others"):
        report = cheat.graded(shortcut)
        assert report.score <= report.max_score / 2, f"{shortcut}: {[check.id for check in report.checks if check.passed]}"


def test_enough_exercises_are_asked() -> None:
    assert len(EXERCISES_OF_ARRAYS) >= 30
