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


def statistics(x: Numbers) -> tuple[Numbers, Numbers]:
    """The mean and the variance of each column."""
    pairs = x[:, None] - x
    return x.sum(axis=0) / len(x), (pairs * pairs).sum(axis=(0, 1)) / (2 * len(x) ** 2)


def value(x: Numbers, gamma: Numbers, beta: Numbers, bn_param: dict[str, Any]) -> Numbers:
    mean, variance = statistics(x)
    return np.asarray((x - mean) / np.sqrt(variance + bn_param.get("eps", 1e-5)) * gamma + beta)


BATCHNORM = Layer("batchnorm_forward", "batchnorm_backward_alt", value)


def call(rng: np.random.Generator, rows: int, columns: int, *, scale: float = 1.0, **bn_param: Any) -> Call:
    """Columns with different means and spreads, a scale of both signs with one 0 where there is room, and a shift."""
    x = scale * (rng.uniform(0.5, 2, columns) * rng.normal(size=(rows, columns)) + rng.normal(size=columns))
    if x.size > 3:
        x.flat[int(rng.integers(x.size))] = rng.choice([0.0, -0.0])
    gamma = rng.uniform(0.4, 1.9, columns) * rng.permutation(np.resize([1.0, -1.0], columns))
    if columns > 3:
        gamma[int(rng.integers(columns))] = 0.0
    inputs = {"x": np.asarray(x), "gamma": np.asarray(gamma), "beta": np.asarray(rng.normal(size=columns))}
    return Call(inputs, ({"mode": "train"} | bn_param,))


SIZES = [(3, 4), (5, 2), (4, 4)]
OTHER_SIZES = [(6, 3), (2, 5), (7, 1), (1, 3), (3, 3), (1, 1)]


@check("The value", points=0.5)
def plain_value(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, BATCHNORM, [call(rng, *sizes) for sizes in SIZES])


@check("The gradients", points=2)
def gradients(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, BATCHNORM, [call(rng, *sizes) for sizes in SIZES], rng)


@check("Value and gradients for any sizes", points=1.5, hidden=True)
def any_size(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, BATCHNORM, [call(rng, *sizes) for sizes in OTHER_SIZES])
    expect_backward(student, BATCHNORM, [call(rng, *sizes) for sizes in OTHER_SIZES], rng)


@check("Value and gradients for small and large inputs and any epsilon", points=1.5, hidden=True)
def any_scale(student: Student, rng: np.random.Generator) -> None:
    settings = [(1e-2, 1e-3), (2e-3, None), (1.0, float(rng.uniform(0.5, 2))), (30.0, None), (1e-2, 1e-9)]
    calls = [call(rng, 5, 3, scale=scale, **({} if eps is None else {"eps": eps})) for scale, eps in settings]
    calls[3].inputs["x"][:, 0] = 2.5  # a constant column
    expect_forward(student, BATCHNORM, calls)
    expect_backward(student, BATCHNORM, calls, rng)


@check("One layer, several times", points=1, hidden=True)
def several_times(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, BATCHNORM, [call(rng, 4, 3) for _ in range(4)], rng)


def normalised(x: Numbers, gamma: Numbers, beta: Numbers) -> Numbers:
    centred = x - x.mean(axis=0)
    return np.asarray(centred / np.sqrt((centred * centred).mean(axis=0) + 1e-5) * gamma + beta)


@check("The gradients of many columns, at the cost of a few forward passes", points=1.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (call(rng, 50, n // 50).inputs for n in (FEW, MANY))
    ask = layer_gradients(student, BATCHNORM, {"mode": "train"})
    expect_cheap_vjp(student, "batchnorm_backward_alt", normalised, many, rng, few=few, ask=ask)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        settings: dict[str, Any] = {"eps": float(rng.choice([1e-7, 1e-3, 0.5]))} if rng.random() < 0.6 else {}
        rows, columns = int(rng.integers(1, 5)), int(rng.integers(1, 5))
        scale = float(rng.choice([1e-2, 1.0, 30.0]))
        ask_layer(student, BATCHNORM, [call(rng, rows, columns, scale=scale, **settings)], rng)


symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-times")
