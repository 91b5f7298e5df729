"""The variance of the truth is a mean over all pairs, which contains no other mean. The gradients are its complex step."""

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
)
from autograder.judge.diagnosis import symptom


def value(x: Numbers, gamma: Numbers, beta: Numbers, ln_param: dict[str, Any]) -> Numbers:
    size = x.shape[1]
    pairs = x[:, :, None] - x[:, None, :]
    variance = (pairs * pairs).sum(axis=(1, 2))[:, None] / (2 * size**2)
    return np.asarray(pairs.sum(axis=2) / size / np.sqrt(variance + ln_param.get("eps", 1e-5)) * gamma + beta)


LAYERNORM = Layer("layernorm_forward", "layernorm_backward", value)


def call(rng: np.random.Generator, rows: int, columns: int, *, scale: float = 1.0, **ln_param: float) -> Call:
    """Rows with different means and spreads, a scale of both signs with one 0 where there is room, and a shift."""
    x = scale * (rng.uniform(0.5, 2, (rows, 1)) * rng.normal(size=(rows, columns)) + rng.normal(size=(rows, 1)))
    if x.size > 3:
        x.flat[int(rng.integers(x.size))] = rng.choice([0.0, -0.0])
    gamma = rng.uniform(0.4, 1.9, columns) * rng.permutation(np.resize([1.0, -1.0], columns))
    if columns > 3:
        gamma[int(rng.integers(columns))] = 0.0
    return Call({"x": np.asarray(x), "gamma": np.asarray(gamma), "beta": np.asarray(rng.normal(size=columns))}, (ln_param,))


SIZES = [(3, 4), (2, 5), (4, 4)]
OTHER_SIZES = [(6, 3), (5, 2), (1, 7), (3, 1), (3, 3), (1, 1), (7, 5)]


def scaled(rng: np.random.Generator) -> list[Call]:
    """Inputs of all sizes, where epsilon matters and where it does not."""
    settings = [(1e-2, 1e-3), (2e-3, None), (1.0, float(rng.uniform(0.5, 2))), (30.0, None), (1e-2, 1e-9)]
    made = [call(rng, 3, 5, scale=scale, **({} if eps is None else {"eps": eps})) for scale, eps in settings]
    made[3].inputs["x"][1] = 2.5  # a constant row
    return made


@check("The value", points=1)
def plain_value(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, LAYERNORM, [call(rng, *sizes) for sizes in SIZES])


@check("The gradients", points=2)
def gradients(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, LAYERNORM, [call(rng, *sizes) for sizes in SIZES], rng)


@check("The value for any sizes and any epsilon", points=1, hidden=True)
def value_of_any_size(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, LAYERNORM, [call(rng, *sizes) for sizes in OTHER_SIZES])
    expect_forward(student, LAYERNORM, scaled(rng))


@check("The gradients for any sizes and any epsilon", points=2, hidden=True)
def gradients_of_any_size(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, LAYERNORM, [call(rng, *sizes) for sizes in OTHER_SIZES], rng)
    expect_backward(student, LAYERNORM, scaled(rng), rng)


@check("One layer, several times", points=1, hidden=True)
def several_times(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, LAYERNORM, [call(rng, 3, 4) for _ in range(4)], rng)


def normalised(x: Numbers, gamma: Numbers, beta: Numbers) -> Numbers:
    centred = x - x.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + 1e-5) * gamma + beta)


@check("The gradients of many rows, at the cost of a few forward passes", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (call(rng, n // 50, 50).inputs for n in (FEW, MANY))
    ask = layer_gradients(student, LAYERNORM, {})
    expect_cheap_vjp(student, "layernorm_backward", normalised, many, rng, few=few, ask=ask)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        settings = {"eps": float(rng.choice([1e-7, 1e-3, 0.5]))} if rng.random() < 0.6 else {}
        rows, columns = int(rng.integers(1, 5)), int(rng.integers(1, 5))
        scale = float(rng.choice([1e-2, 1.0, 30.0]))
        ask_layer(student, LAYERNORM, [call(rng, rows, columns, scale=scale, **settings)], rng)


symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-times")
