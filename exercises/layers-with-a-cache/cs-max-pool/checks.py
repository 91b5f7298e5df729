"""The value picks the entry with the largest real part among strided copies of the images. The gradient is its complex step."""

from functools import partial
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, to_numpy, variety
from autograder.judge.checks.backward_cost import expect_cheap_vjp
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

Size = tuple[int, int]


def value(x: Numbers, pool_param: dict[str, int]) -> Numbers:
    stride, kernel = pool_param["stride"], (pool_param["pool_height"], pool_param["pool_width"])
    rows, columns = ((size - reach) // stride + 1 for size, reach in zip(x.shape[2:], kernel, strict=True))
    copies = [x[:, :, a : a + stride * rows : stride, e : e + stride * columns : stride] for a, e in np.ndindex(kernel)]
    entries = np.stack(copies)
    return np.take_along_axis(entries, entries.real.argmax(axis=0)[None], axis=0)[0]


POOL = Layer("max_pool_forward_naive", "max_pool_backward_naive", value)


def call(rng: np.random.Generator, images: Size, kernel: Size, windows: Size, stride: int, shift: float = 0.0) -> Call:
    """Images into which so many windows fit exactly. All entries differ, and one of them is 0 if there is no shift.
    `images` are the numbers of images and channels."""
    size = [stride * (count - 1) + reach for count, reach in zip(windows, kernel, strict=True)]
    x = np.asarray(rng.normal(size=(*images, *size)) + shift)
    if not shift:
        x.flat[int(rng.integers(x.size))] = rng.choice([0.0, -0.0])
    return Call({"x": x}, ({"pool_height": kernel[0], "pool_width": kernel[1], "stride": stride},))


Geometry = tuple[Size, Size, Size, int]

APART: list[Geometry] = [((1, 1), (2, 2), (2, 2), 2), ((2, 3), (2, 3), (3, 2), 3), ((2, 2), (3, 3), (2, 2), 3)]
OVERLAPPING: list[Geometry] = [((2, 1), (3, 2), (3, 3), 1), ((1, 2), (3, 3), (2, 3), 2), ((2, 2), (2, 2), (3, 3), 1)]
OTHERS: list[Geometry] = [
    ((2, 2), (1, 2), (2, 3), 3),
    ((1, 3), (3, 4), (1, 1), 2),
    ((3, 1), (1, 1), (2, 3), 1),
    ((1, 1), (2, 4), (3, 2), 1),
    ((2, 1), (2, 1), (1, 3), 2),
    ((1, 2), (4, 2), (2, 4), 1),
    ((1, 1), (1, 1), (1, 1), 1),
]


def calls(rng: np.random.Generator, geometries: list[Geometry], shift: float = 0.0) -> list[Call]:
    return [call(rng, *geometry, shift) for geometry in geometries]


@check("The value", points=1)
def plain_value(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, POOL, calls(rng, APART + OVERLAPPING))


@check("The gradient where windows do not overlap", points=1)
def gradient_apart(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, POOL, calls(rng, APART), rng)


@check("The gradient where windows overlap", points=1.5)
def gradient_overlapping(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, POOL, calls(rng, OVERLAPPING), rng)


@check("The value for other geometries, also of negative numbers", points=1.5, hidden=True)
def value_of_any_geometry(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, POOL, calls(rng, OTHERS) + calls(rng, APART, shift=-8.0))


@check("The gradient for other geometries, also of negative numbers", points=1.5, hidden=True)
def gradient_of_any_geometry(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, POOL, calls(rng, OTHERS) + calls(rng, OVERLAPPING, shift=-8.0), rng)


@check("One layer, several times", points=1, hidden=True)
def several_times(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, POOL, [call(rng, (2, 2), (2, 3), (3, 2), 1) for _ in range(4)], rng)


@check("The gradient of many images, at the cost of a few forward passes", points=1.5, hidden=True, seconds=2)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (call(rng, (n, 5), (2, 2), (2, 2), 2) for n in (30, 150))
    ask = layer_gradients(student, POOL, *few.settings)
    forward = partial(value, pool_param=few.settings[0])
    expect_cheap_vjp(student, "max_pool_backward_naive", forward, many.inputs, rng, few=few.inputs, ask=ask)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(2):
        images, channels, kh, kw, rows, columns, stride = (int(size) for size in rng.integers(1, 4, size=7))
        shift = float(rng.choice([0.0, -8.0]))
        ask_layer(student, POOL, [call(rng, (images, channels), (kh, kw), (rows, columns), stride, shift)], rng)


def one_contribution_left(right: Any, given: Any) -> bool:
    """Every wrong gradient has the right places, and in each of them a single upstream gradient instead of a sum."""
    wrong = [(right[number], given[number]) for number in wrong_calls(right, given)]
    return bool(wrong) and all(map(_is_overwritten, *zip(*wrong, strict=True)))


def _is_overwritten(right: dict[str, Any], given: dict[str, Any]) -> bool:
    truth, dx, dout = (to_numpy(value) for value in (right["gradients"], given["gradients"], right["upstreams"][0]))
    places = truth != 0
    return truth.shape == dx.shape and not dx[~places].any() and bool(np.isin(dx[places], dout).all())


symptom("edits-upstream", upstream_modified)
for where in ("gradient-overlapping", "gradient-of-any-geometry"):
    symptom("overwrites-instead-of-accumulating", one_contribution_left, check=where)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-times")
