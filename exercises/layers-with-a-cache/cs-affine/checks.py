"""The value is a tensor product over all axes of an example; the gradients are its complex step."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, expect_cheap_vjp
from autograder.judge.checks.layers import (
    Call,
    Layer,
    ask_layer,
    expect_backward,
    expect_forward,
    input_modified,
    layer_gradients,
    only_last_call_right,
    upstream_modified,
    wrong_calls,
)
from autograder.judge.diagnosis import symptom

Shape = tuple[int, ...]


def value(x: Numbers, w: Numbers, b: Numbers) -> Numbers:
    return np.tensordot(x, w.reshape(*x.shape[1:], -1), axes=x.ndim - 1) + b


AFFINE = Layer("affine_forward", "affine_backward", value)


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def call(rng: np.random.Generator, shape: Shape, outputs: int) -> Call:
    inputs = {"x": numbers(rng, *shape), "w": numbers(rng, int(np.prod(shape[1:])), outputs), "b": numbers(rng, outputs)}
    return Call(inputs)


ROWS: list[tuple[Shape, int]] = [((3, 4), 2), ((2, 3), 5), ((4, 4), 4)]
# rows first, so that only-2d can be told apart
SHAPES: list[tuple[Shape, int]] = [
    *(((5, 2), 3), ((1, 4), 3), ((3, 1), 2), ((4, 3), 1), ((1, 1), 1)),
    *(((2, 3, 2), 4), ((3, 2, 2, 2), 3), ((3, 3, 3), 3), ((1, 2, 1, 3), 2), ((4, 1, 1), 1)),
]


@check("The value for rows", points=1.5)
def value_of_rows(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, AFFINE, [call(rng, *sizes) for sizes in ROWS])


@check("The gradients for rows", points=1.5)
def gradients_of_rows(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, AFFINE, [call(rng, *sizes) for sizes in ROWS], rng)


@check("The value for examples of any shape", points=1.5, hidden=True)
def value_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, AFFINE, [call(rng, *sizes) for sizes in SHAPES])


@check("The gradients for examples of any shape", points=2, hidden=True)
def gradients_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, AFFINE, [call(rng, *sizes) for sizes in SHAPES], rng)


@check("One layer, several times", points=1.5, hidden=True)
def several_times(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, AFFINE, [call(rng, (3, 2, 2), 3) for _ in range(4)], rng)


@check("The gradients of a large layer, at the cost of a few forward passes", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = call(rng, (40, 40), 20).inputs, call(rng, (150, 150), 100).inputs
    expect_cheap_vjp(
        student, "affine_backward", lambda x, w, b: x @ w + b, many, rng, few=few, ask=layer_gradients(student, AFFINE)
    )


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        shape = tuple(int(size) for size in rng.integers(1, 4, size=int(rng.integers(2, 5))))
        ask_layer(student, AFFINE, [call(rng, shape, int(rng.integers(1, 4)))], rng)


def wrong_for_images_only(right: Any, given: Any) -> bool:
    wrong = wrong_calls(right, given)
    return bool(wrong) and all(len(SHAPES[number][0]) > 2 for number in wrong)


symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-times")
for where in ("value-of-any-shape", "gradients-of-any-shape"):
    symptom("only-2d", wrong_for_images_only, check=where)
