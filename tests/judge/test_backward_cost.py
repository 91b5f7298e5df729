"""The cost of a backward pass: right gradients pass however they are written, a forward pass for every entry does not."""

from collections.abc import Callable

import numpy as np
import pytest

from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, expect_cheap_vjp
from autograder.judge.checks.compare import CheckFailed
from autograder.judge.checks.student import Student
from sandbox.errors import OutOfTime

Enter = Callable[..., Student]

RIGHT = """
import numpy as np

def value(x, y):
    return np.exp(x) * y

def both(g, x, y):
    return g * np.exp(x) * y, (g * np.exp(x)).sum(axis=0)
"""
LOOPS = """
import math
import numpy as np

def value_vjp(g, x, y):
    dx, dy = np.zeros(x.shape), np.zeros(y.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            slope = math.exp(x[i, j])
            dx[i, j] = g[i, j] * slope * y[j]
            dy[j] += g[i, j] * slope
    return dx, dy
"""
STEPS = """
def value_vjp(g, x, y):
    gradients = []
    inputs = [x.astype(complex), y.astype(complex)]
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            values[place] += 1e-30j
            gradient[place] = (g * value(*inputs).imag).sum() / 1e-30
            values[place] = values[place].real
        gradients.append(gradient)
    return tuple(gradients)
"""


def judge_cost(student: Student, *, few: bool = True) -> None:
    rng = np.random.default_rng(0)
    sizes = {n: {"x": rng.normal(size=(n // 50, 50)), "y": rng.normal(size=50)} for n in (FEW, MANY)}
    student._session.allow(SECONDS)
    expect_cheap_vjp(student, "value_vjp", lambda x, y: np.exp(x) * y, sizes[MANY], rng, few=sizes[FEW] if few else None)


def returning(gradients: str) -> str:
    return f"{RIGHT}\ndef value_vjp(g, x, y):\n    dx, dy = both(g, x, y)\n    return {gradients}\n"


@pytest.mark.parametrize("source", [returning("dx, dy"), LOOPS], ids=["arrays", "a Python loop over all entries"])
def test_a_backward_pass_is_cheap(enter: Enter, source: str) -> None:
    judge_cost(enter(source, "numpy"))


def test_a_forward_pass_for_every_entry_is_counted(enter: Enter) -> None:
    with pytest.raises(CheckFailed, match=r"value_vjp: the gradients for 2,550 entries took .* as [\d,]+ forward passes"):
        judge_cost(enter(RIGHT + STEPS, "numpy"))


def test_a_forward_pass_for_every_entry_of_a_large_input_is_late(enter: Enter) -> None:
    with pytest.raises(OutOfTime):
        judge_cost(enter(RIGHT + STEPS, "numpy"), few=False)


@pytest.mark.parametrize(
    ("gradients", "words"),
    [
        (
            "1.001 * dx, dy",
            r"with respect to x\(50, 50\) does not fit the function: along a random direction, it changes by",
        ),
        ("dx, dy * np.nan", r"with respect to y\(50,\) does not fit the function"),
        ("dx if len(x) < 100 else 0 * dx, dy", r"with respect to x\(800, 50\) does not fit the function"),
        ("dx.astype('float32'), dy", r"should be an array of that shape and dtype float64, but is a NumPy array of"),
        ("dx.ravel(), dy", r"should be an array of that shape and dtype float64, but is a NumPy array of shape \(2500,\)"),
        ("dx.tolist(), dy", "should be an array of that shape and dtype float64, but is a list of length 50"),
        ("dx", "value_vjp should return 2 gradients, but returned a NumPy array"),
        ("(dx,)", "value_vjp should return 2 gradients, but returned a tuple of length 1"),
    ],
)
def test_wrong_gradients_fail(enter: Enter, gradients: str, words: str) -> None:
    with pytest.raises(CheckFailed, match=words):
        judge_cost(enter(returning(gradients), "numpy"))
