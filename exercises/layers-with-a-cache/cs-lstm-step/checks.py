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
from autograder.judge.diagnosis import reads_as, symptom


def sigmoid(z: Any) -> Any:
    """Through tanh, which accepts large complex numbers."""
    return (1 + np.tanh(z / 2)) / 2


def value(x: Numbers, prev_h: Numbers, prev_c: Numbers, Wx: Numbers, Wh: Numbers, b: Numbers) -> tuple[Any, Any]:
    a = np.tensordot(x, Wx, axes=1) + np.tensordot(prev_h, Wh, axes=1) + b
    i, f, o, g = (a[:, gate * prev_c.shape[1] :][:, : prev_c.shape[1]] for gate in range(4))
    next_c = sigmoid(f) * prev_c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(next_c), next_c


STEP = Layer("lstm_step_forward", "lstm_step_backward", value, ("next_h", "next_c"), editable=("dnext_c",))
FORGET, OUTPUT = 1, 2


def numbers(rng: np.random.Generator, *shape: int, scale: float = 0.7) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape) * scale)
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def call(rng: np.random.Generator, n: int, d: int, h: int) -> Call:
    states = {"prev_h": numbers(rng, n, h), "prev_c": numbers(rng, n, h, scale=1.0)}
    weights = {"Wx": numbers(rng, d, 4 * h), "Wh": numbers(rng, h, 4 * h), "b": numbers(rng, 4 * h)}
    return Call({"x": numbers(rng, n, d)} | states | weights)


def saturated(rng: np.random.Generator, n: int, d: int, h: int) -> Call:
    """The gates of some units have a very large bias of either sign; those of the first unit have not."""
    asked = call(rng, n, d, h)
    for gate in range(4):
        asked.inputs["b"][gate * h + 1 : (gate + 1) * h] = rng.permutation([900.0, -900.0, 40.0, -40.0])[: h - 1]
    return asked


def closed(rng: np.random.Generator, gate: int, n: int, d: int, h: int) -> Call:
    """One of the gates is 0 for all units."""
    asked = call(rng, n, d, h)
    asked.inputs["b"][gate * h : (gate + 1) * h] = -900.0
    return asked


def first_step(rng: np.random.Generator, n: int, d: int, h: int) -> Call:
    """Both states are 0, and so is the whole pre-activation of the first sample."""
    asked = call(rng, n, d, h)
    for label in ("prev_h", "prev_c", "b"):
        asked.inputs[label][...] = 0.0
    asked.inputs["x"][0] = 0.0
    return asked


PLAIN = [(3, 4, 2), (2, 3, 5), (4, 5, 3)]
OTHERS = [(1, 3, 2), (3, 1, 4), (4, 2, 1), (1, 1, 1), (3, 3, 3), (2, 4, 1), (5, 2, 2), (1, 4, 4)]


@check("The value", points=1.5)
def plain_value(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, STEP, [call(rng, *sizes) for sizes in PLAIN])


@check("The gradients", points=3)
def plain_gradients(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, STEP, [call(rng, *sizes) for sizes in PLAIN], rng)


@check("The value for all sizes", points=1, hidden=True)
def value_of_all_sizes(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, STEP, [call(rng, *sizes) for sizes in OTHERS])


@check("The gradients for all sizes", points=2, hidden=True)
def gradients_of_all_sizes(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, STEP, [call(rng, *sizes) for sizes in OTHERS], rng)


@check("The first step of a sequence", points=1, hidden=True)
def first(student: Student, rng: np.random.Generator) -> None:
    calls = [first_step(rng, *sizes) for sizes in ((3, 2, 4), (2, 3, 2), (4, 1, 3))]
    expect_forward(student, STEP, calls)
    expect_backward(student, STEP, calls, rng)


@check("Large pre-activations", points=1.5, hidden=True)
def large(student: Student, rng: np.random.Generator) -> None:
    calls = [saturated(rng, 3, 2, 5), closed(rng, OUTPUT, 2, 4, 3), closed(rng, FORGET, 4, 3, 2), saturated(rng, 2, 3, 4)]
    expect_forward(student, STEP, calls)
    expect_backward(student, STEP, calls, rng)


@check("Several steps, with a cache each", points=1.5, hidden=True)
def several_steps(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, STEP, [call(rng, 3, 4, 2) for _ in range(4)], rng)


@check("The gradients of a large batch, at the cost of a few forward passes", points=2.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = call(rng, 30, 15, 10).inputs, call(rng, 120, 60, 25).inputs
    expect_cheap_vjp(
        student,
        "lstm_step_backward",
        lambda *inputs: value(*inputs)[0],
        many,
        rng,
        few=few,
        ask=layer_gradients(student, STEP),
    )


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(2):
        n, d, h = (int(size) for size in rng.integers(1, 5, size=3))
        ask_layer(student, STEP, [call(rng, n, d, h)], rng)
    gate = int(rng.integers(4))
    ask_layer(student, STEP, [saturated(rng, 2, 3, 5), closed(rng, gate, 2, 2, 3), first_step(rng, 2, 3, 2)], rng)


def reading(replies: Any, *_: Any) -> Any:
    """The replies without the upstream gradient that may be modified."""
    return [reply | {"upstreams": reply["upstreams"][:1]} if "upstreams" in reply else reply for reply in replies]


reads_as("layer_calls", reading)
symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-steps")
