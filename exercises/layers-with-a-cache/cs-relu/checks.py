"""The value chooses by the sign of the real part; the gradient is its complex step, which is 0 at 0."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.layers import (
    Call,
    Layer,
    ask_layer,
    expect_backward,
    expect_forward,
    input_modified,
    only_last_call_right,
    upstream_modified,
    wrong_calls,
)
from autograder.judge.diagnosis import symptom

Shape = tuple[int, ...]


def value(x: Numbers) -> Numbers:
    return np.where(x.real > 0, x, 0)


RELU = Layer("relu_forward", "relu_backward", value)


def call(rng: np.random.Generator, shape: Shape, zeros: float = 0.0) -> Call:
    """Numbers of both signs, of which some are 0."""
    x = np.asarray(rng.normal(size=shape))
    return Call({"x": np.where(rng.random(shape) < zeros, rng.choice([0.0, -0.0], size=shape), x)})


# matrices first, so that only-2d can be told apart
SHAPES: list[Shape] = [(5, 2), (1, 4), (4, 1), (3, 3), (6,), (2, 3, 4), (2, 3, 2, 2), (1, 1, 5), (1,)]


@check("The value for matrices", points=1)
def value_of_matrices(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, RELU, [call(rng, shape) for shape in ((3, 4), (2, 5), (4, 4))])


@check("The gradient for matrices", points=1.5)
def gradient_of_matrices(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, RELU, [call(rng, shape) for shape in ((3, 4), (2, 5), (4, 4))], rng)


@check("The value for any number of axes", points=1, hidden=True)
def value_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, RELU, [call(rng, shape, zeros=0.1) for shape in SHAPES])


@check("The gradient for any number of axes", points=2, hidden=True)
def gradient_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, RELU, [call(rng, shape) for shape in SHAPES], rng)


@check("The gradient where inputs are 0", points=1.5, hidden=True)
def at_zero(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, shape, zeros=0.4) for shape in ((4, 5), (3, 2, 4), (10,))]
    for asked in calls:
        asked.inputs["x"].flat[:3] = 0.0, -0.0, 5e-324  # the smallest positive number
    expect_backward(student, RELU, calls, rng)


@check("One layer, several times", points=1, hidden=True)
def several_times(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, RELU, [call(rng, (4, 5)) for _ in range(4)], rng)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        shape = tuple(int(size) for size in rng.integers(1, 4, size=int(rng.integers(1, 5))))
        ask_layer(student, RELU, [call(rng, shape, zeros=0.3)], rng)


def wrong_for_other_axes_only(right: Any, given: Any) -> bool:
    wrong = wrong_calls(right, given)
    return bool(wrong) and all(len(SHAPES[number]) != 2 for number in wrong)


symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-times")
for where in ("value-of-any-shape", "gradient-of-any-shape"):
    symptom("only-2d", wrong_for_other_axes_only, check=where)
