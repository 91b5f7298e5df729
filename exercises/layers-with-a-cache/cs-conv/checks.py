"""The value adds one strided copy of the images for each entry of the filters. The gradients are its complex step."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, variety
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


def value(x: Numbers, w: Numbers, b: Numbers, conv_param: dict[str, int]) -> Numbers:
    stride, pad = conv_param["stride"], conv_param["pad"]
    padded = np.zeros((*x.shape[:2], x.shape[2] + 2 * pad, x.shape[3] + 2 * pad), x.dtype)
    padded[:, :, pad : pad + x.shape[2], pad : pad + x.shape[3]] = x
    rows, columns = ((size - kernel) // stride + 1 for size, kernel in zip(padded.shape[2:], w.shape[2:], strict=True))
    out = np.zeros((len(x), len(w), rows, columns), np.result_type(x, w, b)) + b[:, None, None]
    for a, e in np.ndindex(w.shape[2:]):
        pixels = padded[:, :, a : a + stride * rows : stride, e : e + stride * columns : stride]
        out += np.einsum("ncij,fc->nfij", pixels, w[:, :, a, e])
    return out


CONV = Layer("conv_forward_naive", "conv_backward_naive", value)


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def call(
    rng: np.random.Generator, images: int, channels: Size, kernel: Size, windows: Size, *, stride: int = 1, pad: int = 0
) -> Call:
    """Images into which so many windows fit exactly. `channels` are the numbers of channels and of filters."""
    image = [stride * (count - 1) + size - 2 * pad for count, size in zip(windows, kernel, strict=True)]
    x = numbers(rng, images, channels[0], *image)
    w = numbers(rng, channels[1], channels[0], *kernel)
    return Call({"x": x, "w": w, "b": numbers(rng, channels[1])}, ({"stride": stride, "pad": pad},))


def plain(rng: np.random.Generator) -> list[Call]:
    sizes = [(1, (1, 1), (2, 3), (3, 2)), (2, (2, 3), (3, 2), (2, 3)), (2, (2, 2), (2, 2), (2, 2))]
    return [call(rng, *size) for size in sizes]


def with_settings(rng: np.random.Generator) -> list[Call]:
    return [
        call(rng, 2, (2, 3), (3, 3), (3, 4), pad=1),
        call(rng, 2, (1, 2), (2, 3), (2, 3), stride=2),
        call(rng, 1, (2, 2), (3, 4), (3, 2), stride=2, pad=1),
    ]


# as large as the kernel, larger than needed, beside a kernel of one entry, and none
PADDED: list[tuple[int, Size, Size, Size, int, int]] = [
    (1, (2, 1), (3, 3), (4, 3), 1, 1),
    (2, (1, 2), (2, 2), (5, 6), 1, 2),
    (1, (2, 2), (1, 1), (4, 3), 1, 1),
    (1, (1, 2), (3, 2), (3, 4), 2, 2),
    (2, (2, 1), (2, 3), (2, 2), 1, 0),
    (1, (1, 1), (4, 5), (1, 2), 1, 1),
]
STRIDED: list[tuple[int, Size, Size, Size, int, int]] = [
    (2, (2, 2), (3, 2), (2, 3), 2, 0),
    (1, (1, 2), (2, 3), (3, 2), 3, 0),
    (2, (2, 1), (1, 1), (2, 3), 2, 0),
    (1, (2, 2), (2, 2), (2, 2), 2, 0),
    (1, (1, 2), (3, 3), (2, 3), 3, 1),
    (2, (2, 3), (3, 4), (2, 1), 1, 0),
    (1, (1, 1), (1, 1), (1, 1), 1, 0),
]


def geometries(rng: np.random.Generator, made: list[tuple[int, Size, Size, Size, int, int]]) -> list[Call]:
    return [call(rng, *sizes, stride=stride, pad=pad) for *sizes, stride, pad in made]


@check("The value, with and without padding and stride", points=2)
def plain_value(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, CONV, plain(rng) + with_settings(rng))


@check("The gradients without padding and with a stride of 1", points=1.5)
def plain_gradients(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, CONV, plain(rng), rng)


@check("The gradients with padding and stride", points=1.5)
def gradients_with_settings(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, CONV, with_settings(rng), rng)


@check("The value for other geometries", points=1.5, hidden=True)
def value_of_any_geometry(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, CONV, geometries(rng, PADDED + STRIDED))


@check("The gradients for any padding", points=2, hidden=True)
def any_padding(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, CONV, geometries(rng, PADDED), rng)


@check("The gradients for any stride", points=2, hidden=True)
def any_stride(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, CONV, geometries(rng, STRIDED), rng)


@check("One layer, several times", points=1.5, hidden=True)
def several_times(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, CONV, [call(rng, 2, (2, 2), (2, 3), (3, 2), pad=1) for _ in range(3)], rng)


@check("The gradients of many images, at the cost of a few forward passes", points=2, hidden=True, seconds=2)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (call(rng, n, (3, 2), (2, 2), (3, 3)) for n in (25, 150))

    def convolved(x: Numbers, w: Numbers, b: Numbers) -> Numbers:
        return value(x, w, b, few.settings[0])

    ask = layer_gradients(student, CONV, *few.settings)
    expect_cheap_vjp(student, "conv_backward_naive", convolved, many.inputs, rng, few=few.inputs, ask=ask)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(2):
        images, channels, filters = (int(size) for size in rng.integers(1, 3, size=3))
        pad, stride = int(rng.integers(0, 3)), int(rng.integers(1, 4))
        kernel = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        rows, columns = (
            int(n) + (2 * pad - k) // stride + 1 for n, k in zip(rng.integers(1, 3, size=2), kernel, strict=True)
        )
        windows = max(1, rows), max(1, columns)
        asked = call(rng, images, (channels, filters), kernel, windows, stride=stride, pad=pad)
        ask_layer(student, CONV, [asked], rng)


def wrong_without_padding_only(right: Any, given: Any) -> bool:
    """Among these geometries, only one has no padding."""
    return wrong_calls(right, given) == [number for number, sizes in enumerate(PADDED) if not sizes[5]]


symptom("edits-upstream", upstream_modified)
symptom("mutates-input", input_modified)
symptom("state-between-calls", only_last_call_right, check="several-times")
symptom("empty-slice-without-padding", wrong_without_padding_only, check="any-padding")
