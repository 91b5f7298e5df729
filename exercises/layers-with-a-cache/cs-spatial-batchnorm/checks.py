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

Shape = tuple[int, int, int, int]


def statistics(x: Numbers) -> tuple[Numbers, Numbers]:
    """The mean and the variance of each channel."""
    entries = np.stack([x[:, channel].reshape(-1) for channel in range(x.shape[1])])
    pairs = entries[:, :, None] - entries[:, None, :]
    size = entries.shape[1]
    return entries.sum(axis=1) / size, (pairs * pairs).sum(axis=(1, 2)) / (2 * size**2)


def value(x: Numbers, gamma: Numbers, beta: Numbers, bn_param: dict[str, Any]) -> Numbers:
    if bn_param["mode"] == "train":
        mean, variance = statistics(x)
    else:
        mean, variance = bn_param["running_mean"], bn_param["running_var"]
    factor = gamma / np.sqrt(variance + bn_param.get("eps", 1e-5))
    return np.stack([(x[:, c] - mean[c]) * factor[c] + beta[c] for c in range(x.shape[1])], axis=1)


BATCHNORM = Layer("spatial_batchnorm_forward", "spatial_batchnorm_backward", value)


def call(rng: np.random.Generator, shape: Shape, *, scale: float = 1.0, **bn_param: Any) -> Call:
    """Channels with different means and spreads, a scale of both signs with one 0 where there is room, and a shift."""
    channels = shape[1]
    spread, mean = rng.uniform(0.5, 2, (channels, 1, 1)), rng.normal(size=(channels, 1, 1))
    x = scale * (spread * rng.normal(size=shape) + mean)
    if x.size > 3:
        x.flat[int(rng.integers(x.size))] = rng.choice([0.0, -0.0])
    gamma = rng.uniform(0.4, 1.9, channels) * rng.permutation(np.resize([1.0, -1.0], channels))
    if channels > 3:
        gamma[int(rng.integers(channels))] = 0.0
    inputs = {"x": np.asarray(x), "gamma": np.asarray(gamma), "beta": np.asarray(rng.normal(size=channels))}
    return Call(inputs, ({"mode": "train"} | bn_param,))


def averages(rng: np.random.Generator, channels: int) -> dict[str, Numbers]:
    return {"running_mean": rng.normal(size=channels), "running_var": np.asarray(rng.uniform(0.3, 2, channels))}


def at_test_time(rng: np.random.Generator, shape: Shape, **bn_param: Any) -> Call:
    return call(rng, shape, mode="test", **averages(rng, shape[1]), **bn_param)


def expect_averages(answers: list[Answered]) -> None:
    """Expects the running averages after each call: updated in training, and unchanged at test time."""
    for answered in answers:
        (bn_param,) = answered.call.settings
        after = answered.reply.settings[0] if answered.reply.settings else None
        expect(isinstance(after, dict), "spatial_batchnorm_forward replaced bn_param.")
        momentum = bn_param.get("momentum", 0.9) if bn_param["mode"] == "train" else 1.0
        for name, of_batch in zip(("running_mean", "running_var"), statistics(answered.call.inputs["x"]), strict=True):
            truth = momentum * bn_param.get(name, np.zeros(of_batch.shape)) + (1 - momentum) * of_batch
            what = f'spatial_batchnorm_forward: bn_param["{name}"] after the call for {answered.words}'
            expect_close(after.get(name), truth, what, answered.arguments)


SHAPES: list[Shape] = [(2, 3, 2, 4), (3, 2, 3, 2), (2, 2, 2, 2)]
OTHER_SHAPES: list[Shape] = [
    (1, 4, 2, 3),
    (3, 1, 2, 2),
    (2, 5, 1, 2),
    (4, 2, 1, 1),
    (1, 4, 1, 1),
    (3, 3, 3, 3),
    (1, 1, 1, 1),
    (1, 2, 1, 3),
]


@check("The value in training", points=1)
def value_in_training(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, BATCHNORM, [call(rng, shape) for shape in SHAPES])


@check("The running averages after a training step", points=0.5)
def running_averages(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, shape, **averages(rng, shape[1]), momentum=0.7) for shape in SHAPES]
    expect_averages(expect_forward(student, BATCHNORM, calls))


@check("The gradients", points=1.5)
def gradients(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, BATCHNORM, [call(rng, shape) for shape in SHAPES], rng)


def scaled(rng: np.random.Generator, shape: Shape) -> list[Call]:
    """Inputs of all sizes, where epsilon matters and where it does not."""
    settings = [(1e-2, 1e-3), (2e-3, None), (1.0, float(rng.uniform(0.5, 2))), (30.0, None), (1e-2, 1e-9)]
    made = [call(rng, shape, scale=scale, **({} if eps is None else {"eps": eps})) for scale, eps in settings]
    made[3].inputs["x"][:, 0] = 2.5  # a constant channel
    return made


@check("The value in training, for any sizes and any epsilon", points=1, hidden=True)
def value_of_any_size(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, BATCHNORM, [call(rng, shape) for shape in OTHER_SHAPES])
    expect_forward(student, BATCHNORM, scaled(rng, (2, 3, 2, 2)))


@check("The running averages: given or missing, with any momentum", points=1, hidden=True)
def any_averages(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, shape, momentum=momentum) for shape, momentum in zip(SHAPES, (0.0, 0.25, 1.0), strict=True)]
    calls += [call(rng, shape, **averages(rng, shape[1])) for shape in OTHER_SHAPES]
    calls += [call(rng, (2, 3, 2, 2), running_mean=rng.normal(size=3), momentum=0.4), call(rng, (2, 3, 2, 2), eps=0.5)]
    expect_averages(expect_forward(student, BATCHNORM, calls))


@check("Test time", points=1, hidden=True)
def test_time(student: Student, rng: np.random.Generator) -> None:
    calls = [at_test_time(rng, shape) for shape in (*SHAPES, *OTHER_SHAPES)]
    calls += [at_test_time(rng, (2, 3, 2, 2), eps=0.5, momentum=0.3), at_test_time(rng, (3, 2, 1, 2), eps=1e-2)]
    expect_averages(expect_forward(student, BATCHNORM, calls))


@check("The gradients for any sizes and any epsilon", points=1.5, hidden=True)
def gradients_of_any_size(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, BATCHNORM, [call(rng, shape) for shape in OTHER_SHAPES], rng)
    expect_backward(student, BATCHNORM, scaled(rng, (2, 3, 2, 2)), rng)


@check("One layer, several times, also with a step at test time in between", points=0.5, hidden=True)
def several_times(student: Student, rng: np.random.Generator) -> None:
    calls = [call(rng, (2, 3, 2, 2), **averages(rng, 3), momentum=0.6) for _ in range(4)]
    expect_backward(student, BATCHNORM, calls, rng)
    both = [calls[0], at_test_time(rng, (2, 3, 2, 2)), calls[1], at_test_time(rng, (2, 3, 2, 2))]
    expect_averages(expect_forward(student, BATCHNORM, both))


def normalised(x: Numbers, gamma: Numbers, beta: Numbers) -> Numbers:
    centred = x - x.mean(axis=(0, 2, 3), keepdims=True)
    root = np.sqrt((centred * centred).mean(axis=(0, 2, 3)) + 1e-5)
    return np.asarray(centred * (gamma / root)[:, None, None] + beta[:, None, None])


@check("The gradients of many channels, at the cost of a few forward passes", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (call(rng, (3, n // 48, 4, 4)).inputs for n in (FEW, MANY))
    ask = layer_gradients(student, BATCHNORM, {"mode": "train"})
    expect_cheap_vjp(student, "spatial_batchnorm_backward", normalised, many, rng, few=few, ask=ask)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        images, channels, height, width = (int(size) for size in rng.integers(1, 4, size=4))
        shape = (images, channels, height, width)
        settings: dict[str, Any] = {"eps": float(rng.choice([1e-7, 1e-3, 0.5]))} if rng.random() < 0.6 else {}
        settings |= {"momentum": float(rng.uniform())} if rng.random() < 0.6 else {}
        known = averages(rng, channels) if rng.random() < 0.6 else {}
        scale = float(rng.choice([1e-2, 1.0, 30.0]))
        ask_layer(student, BATCHNORM, [call(rng, shape, scale=scale, **settings, **known)], rng)
        ask_layer(student, BATCHNORM, [at_test_time(rng, shape, **settings)])


symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-times")
