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

Shape = tuple[int, int, int, int]


def value(x: Numbers, gamma: Numbers, beta: Numbers, groups: int, gn_param: dict[str, float]) -> Numbers:
    """One group of one image after the other."""
    out = np.zeros(x.shape, np.result_type(x, gamma, beta))
    channels = x.shape[1] // groups
    for image, group in np.ndindex(len(x), groups):
        own = slice(group * channels, (group + 1) * channels)
        entries = x[image, own].reshape(-1)
        pairs = entries[:, None] - entries
        root = np.sqrt((pairs * pairs).sum() / (2 * entries.size**2) + gn_param.get("eps", 1e-5))
        out[image, own] = (pairs.sum(axis=1) / entries.size / root).reshape(x[image, own].shape)
    return out * gamma + beta


GROUPNORM = Layer("spatial_groupnorm_forward", "spatial_groupnorm_backward", value)


def call(rng: np.random.Generator, shape: Shape, groups: int, *, scale: float = 1.0, **gn_param: float) -> Call:
    """Channels with different means and spreads, a scale of both signs with one 0 where there is room, and a shift."""
    images, channels = shape[:2]
    spread, mean = (draw(size=(images, channels, 1, 1)) for draw in (rng.random, rng.normal))
    x = scale * ((0.5 + spread) * rng.normal(size=shape) + mean)
    if x.size > 3:
        x.flat[int(rng.integers(x.size))] = rng.choice([0.0, -0.0])
    gamma = rng.uniform(0.4, 1.9, channels) * rng.permutation(np.resize([1.0, -1.0], channels))
    if channels > 3:
        gamma[int(rng.integers(channels))] = 0.0
    parameters = {"gamma": gamma, "beta": rng.normal(size=channels)}
    inputs = {"x": np.asarray(x)} | {name: values.reshape(1, channels, 1, 1) for name, values in parameters.items()}
    return Call(inputs, (groups, gn_param))


SHAPES: list[tuple[Shape, int]] = [((2, 6, 2, 1), 2), ((3, 4, 1, 2), 2), ((2, 6, 2, 2), 3)]
OTHER_SHAPES: list[tuple[Shape, int]] = [
    *(((2, 4, 2, 2), 1), ((1, 3, 2, 2), 3), ((2, 8, 1, 1), 2), ((3, 2, 1, 3), 2)),
    *(((1, 1, 1, 1), 1), ((2, 3, 1, 1), 3), ((2, 2, 2, 2), 2), ((1, 6, 1, 2), 3)),
]


def scaled(rng: np.random.Generator) -> list[Call]:
    """Inputs of all sizes, where epsilon matters and where it does not."""
    settings = [(1e-2, 1e-3), (2e-3, None), (1.0, float(rng.uniform(0.5, 2))), (30.0, None), (1e-2, 1e-9)]
    made = [call(rng, (2, 4, 1, 2), 2, scale=scale, **({} if eps is None else {"eps": eps})) for scale, eps in settings]
    made[3].inputs["x"][0, :2] = 2.5  # a constant group
    return made


@check("The value", points=1.5)
def plain_value(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, GROUPNORM, [call(rng, *sizes) for sizes in SHAPES])


@check("The gradients", points=2)
def gradients(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, GROUPNORM, [call(rng, *sizes) for sizes in SHAPES], rng)


@check("The value for any groups and any epsilon", points=1.5, hidden=True)
def value_of_any_groups(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, GROUPNORM, [call(rng, *sizes) for sizes in OTHER_SHAPES])
    expect_forward(student, GROUPNORM, scaled(rng))


@check("The gradients for any groups and any epsilon", points=2, hidden=True)
def gradients_of_any_groups(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, GROUPNORM, [call(rng, *sizes) for sizes in OTHER_SHAPES], rng)
    expect_backward(student, GROUPNORM, scaled(rng), rng)


@check("One layer, several times", points=1, hidden=True)
def several_times(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, GROUPNORM, [call(rng, (2, 4, 2, 1), 2) for _ in range(4)], rng)


def normalised(x: Numbers, gamma: Numbers, beta: Numbers) -> Numbers:
    """With two channels in each group."""
    groups = x.reshape(len(x), -1, 2 * x.shape[2] * x.shape[3])
    centred = groups - groups.mean(axis=2, keepdims=True)
    root = np.sqrt((centred * centred).mean(axis=2, keepdims=True) + 1e-5)
    return np.asarray((centred / root).reshape(x.shape) * gamma + beta)


@check("The gradients of many images, at the cost of a few forward passes", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (call(rng, (n // 96, 6, 4, 4), 3).inputs for n in (FEW, MANY))
    ask = layer_gradients(student, GROUPNORM, 3, {})
    expect_cheap_vjp(student, "spatial_groupnorm_backward", normalised, many, rng, few=few, ask=ask)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        settings = {"eps": float(rng.choice([1e-7, 1e-3, 0.5]))} if rng.random() < 0.6 else {}
        images, groups, channels, height, width = (int(size) for size in rng.integers(1, 4, size=5))
        scale = float(rng.choice([1e-2, 1.0, 30.0]))
        asked = call(rng, (images, groups * channels, height, width), groups, scale=scale, **settings)
        ask_layer(student, GROUPNORM, [asked], rng)


symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-times")
