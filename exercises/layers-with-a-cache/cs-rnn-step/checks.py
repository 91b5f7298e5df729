"""The value is written with one tensor product per term; the gradients are its complex step."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.backward_cost import SECONDS, expect_cheap_vjp
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
)
from autograder.judge.diagnosis import symptom


def value(x: Numbers, prev_h: Numbers, Wx: Numbers, Wh: Numbers, b: Numbers) -> Any:
    return np.tanh(np.tensordot(x, Wx, axes=1) + np.tensordot(prev_h, Wh, axes=1) + b)


STEP = Layer("rnn_step_forward", "rnn_step_backward", value, ("next_h",))


def numbers(rng: np.random.Generator, *shape: int, scale: float = 0.7) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape) * scale)
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def call(rng: np.random.Generator, n: int, d: int, h: int) -> Call:
    weights = {"Wx": numbers(rng, d, h), "Wh": numbers(rng, h, h), "b": numbers(rng, h)}
    return Call({"x": numbers(rng, n, d), "prev_h": numbers(rng, n, h)} | weights)


def saturated(rng: np.random.Generator, n: int, d: int, h: int) -> Call:
    """Some units have a very large bias of either sign; the first one has not."""
    asked = call(rng, n, d, h)
    asked.inputs["b"][1:] = rng.permutation([900.0, -900.0, 30.0, -30.0])[: h - 1]
    return asked


PLAIN = [(3, 4, 2), (2, 3, 5), (4, 5, 3)]
OTHERS = [(1, 3, 2), (3, 1, 4), (4, 2, 1), (1, 1, 1), (3, 3, 3), (2, 4, 4), (5, 2, 2), (1, 4, 4)]


@check("The value", points=1)
def plain_value(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, STEP, [call(rng, *sizes) for sizes in PLAIN])


@check("The gradients", points=2)
def plain_gradients(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, STEP, [call(rng, *sizes) for sizes in PLAIN], rng)


@check("The value for all sizes", points=1, hidden=True)
def value_of_all_sizes(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, STEP, [call(rng, *sizes) for sizes in OTHERS])


@check("The gradients for all sizes", points=1.5, hidden=True)
def gradients_of_all_sizes(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, STEP, [call(rng, *sizes) for sizes in OTHERS], rng)


@check("Large pre-activations", points=1, hidden=True)
def large(student: Student, rng: np.random.Generator) -> None:
    calls = [saturated(rng, *sizes) for sizes in ((3, 2, 5), (2, 4, 4), (4, 3, 5))]
    expect_forward(student, STEP, calls)
    expect_backward(student, STEP, calls, rng)


@check("Several steps, with a cache each", points=1.5, hidden=True)
def several_steps(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, STEP, [call(rng, 3, 4, 2) for _ in range(4)], rng)


@check("The gradients of a large batch, at the cost of a few forward passes", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = call(rng, 40, 25, 15).inputs, call(rng, 200, 60, 40).inputs
    expect_cheap_vjp(student, "rnn_step_backward", value, many, rng, few=few, ask=layer_gradients(student, STEP))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(2):
        n, d, h = (int(size) for size in rng.integers(1, 5, size=3))
        ask_layer(student, STEP, [call(rng, n, d, h)], rng)
    ask_layer(student, STEP, [saturated(rng, 2, 3, 5)], rng)


symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-steps")
