"""The variance of the truth is a mean over all pairs, which contains no other mean. The gradients are its complex step."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, expect, expect_close, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, expect_cheap_vjp
from autograder.judge.checks.layers import (
    Answered,
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
    if bn_param["mode"] == "train":
        mean, variance = statistics(x)
    else:
        mean, variance = bn_param["running_mean"], bn_param["running_var"]
    return np.asarray((x - mean) / np.sqrt(variance + bn_param.get("eps", 1e-5)) * gamma + beta)


BATCHNORM = Layer("batchnorm_forward", "batchnorm_backward", value)


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


def averages(rng: np.random.Generator, columns: int) -> dict[str, Numbers]:
    return {"running_mean": rng.normal(size=columns), "running_var": np.asarray(rng.uniform(0.3, 2, columns))}


def at_test_time(rng: np.random.Generator, rows: int, columns: int, **bn_param: Any) -> Call:
    return call(rng, rows, columns, mode="test", **averages(rng, columns), **bn_param)


def expect_averages(answers: list[Answered]) -> None:
    """Expects the running averages after each call: updated in training, and unchanged at test time."""
    for answered in answers:
        (bn_param,) = answered.call.settings
        after = answered.reply.settings[0] if answered.reply.settings else None
        expect(isinstance(after, dict), "batchnorm_forward replaced bn_param.")
        momentum = bn_param.get("momentum", 0.9) if bn_param["mode"] == "train" else 1.0
        for name, of_batch in zip(("running_mean", "running_var"), statistics(answered.call.inputs["x"]), strict=True):
            truth = momentum * bn_param.get(name, np.zeros(of_batch.shape)) + (1 - momentum) * of_batch
            what = f'batchnorm_forward: bn_param["{name}"] after the call for {answered.words}'
            expect_close(after.get(name), truth, what, answered.arguments)


SIZES = [(3, 4), (5, 2), (4, 4)]
OTHER_SIZES = [(6, 3), (2, 5), (7, 1), (1, 3), (3, 3), (1, 1)]


@check("The value in training", points=1)
def value_in_training(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, BATCHNORM, [call(rng, *sizes) for sizes in SIZES])


@check("The running averages after a training step", points=1)
def running_averages(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, *sizes, **averages(rng, sizes[1]), momentum=0.7) for sizes in SIZES]
    expect_averages(expect_forward(student, BATCHNORM, calls))


@check("The gradients", points=2)
def gradients(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, BATCHNORM, [call(rng, *sizes) for sizes in SIZES], rng)


def scaled(rng: np.random.Generator, rows: int, columns: int) -> list[Call]:
    """Inputs of all sizes, where epsilon matters and where it does not."""
    settings = [(1e-2, 1e-3), (2e-3, None), (1.0, float(rng.uniform(0.5, 2))), (30.0, None), (1e-2, 1e-9)]
    made = [call(rng, rows, columns, scale=scale, **({} if eps is None else {"eps": eps})) for scale, eps in settings]
    made[3].inputs["x"][:, 0] = 2.5  # a constant column
    return made


@check("The value in training, for any sizes and any epsilon", points=1, hidden=True)
def value_of_any_size(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, BATCHNORM, [call(rng, *sizes) for sizes in OTHER_SIZES])
    expect_forward(student, BATCHNORM, scaled(rng, 5, 3))


@check("The running averages: given or missing, with any momentum", points=1.5, hidden=True)
def any_averages(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, *sizes, momentum=momentum) for sizes, momentum in zip(SIZES, (0.0, 0.25, 1.0), strict=True)]
    calls += [call(rng, *sizes, **given) for sizes in OTHER_SIZES for given in (averages(rng, sizes[1]), {})]
    calls += [call(rng, 4, 3, running_mean=rng.normal(size=3), momentum=0.4), call(rng, 4, 3, eps=0.5)]
    expect_averages(expect_forward(student, BATCHNORM, calls))


@check("Test time", points=1.5, hidden=True)
def test_time(student: Student, rng: np.random.Generator) -> None:
    calls = [at_test_time(rng, *sizes) for sizes in (*SIZES, *OTHER_SIZES)]
    calls += [at_test_time(rng, 4, 3, eps=0.5, momentum=0.3), at_test_time(rng, 3, 2, eps=1e-2)]
    expect_averages(expect_forward(student, BATCHNORM, calls))


@check("The gradients for any sizes and any epsilon", points=2, hidden=True)
def gradients_of_any_size(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, BATCHNORM, [call(rng, *sizes) for sizes in OTHER_SIZES], rng)
    expect_backward(student, BATCHNORM, scaled(rng, 5, 3), rng)


@check("One layer, several times, also with a step at test time in between", points=1.5, hidden=True)
def several_times(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, 4, 3, **averages(rng, 3), momentum=0.6) for _ in range(4)]
    expect_backward(student, BATCHNORM, calls, rng)
    both = [calls[0], at_test_time(rng, 4, 3), calls[1], at_test_time(rng, 4, 3)]
    expect_averages(expect_forward(student, BATCHNORM, both))


def normalised(x: Numbers, gamma: Numbers, beta: Numbers) -> Numbers:
    centred = x - x.mean(axis=0)
    return np.asarray(centred / np.sqrt((centred * centred).mean(axis=0) + 1e-5) * gamma + beta)


@check("The gradients of many columns, at the cost of a few forward passes", points=2.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (call(rng, 50, n // 50).inputs for n in (FEW, MANY))
    ask = layer_gradients(student, BATCHNORM, {"mode": "train"})
    expect_cheap_vjp(student, "batchnorm_backward", normalised, many, rng, few=few, ask=ask)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        rows, columns = int(rng.integers(1, 5)), int(rng.integers(1, 5))
        settings: dict[str, Any] = {"eps": float(rng.choice([1e-7, 1e-3, 0.5]))} if rng.random() < 0.6 else {}
        settings |= {"momentum": float(rng.uniform())} if rng.random() < 0.6 else {}
        known = averages(rng, columns) if rng.random() < 0.6 else {}
        scale = float(rng.choice([1e-2, 1.0, 30.0]))
        ask_layer(student, BATCHNORM, [call(rng, rows, columns, scale=scale, **settings, **known)], rng)
        ask_layer(student, BATCHNORM, [at_test_time(rng, rows, columns, **settings)])


symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-times")
