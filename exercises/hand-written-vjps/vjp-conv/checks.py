"""The truth is the list of all products in the formula: which pixel, which weight, which entry of the result."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, expect_cheap_vjp
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_vjp
from autograder.judge.diagnosis import forward_of

Shape = tuple[int, ...]


def size_of_result(size: int, kernel: int, *, stride: int = 1, padding: int = 0, dilation: int = 1, **_: int) -> int:
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def products(
    x: Shape, w: Shape, *, stride: int = 1, padding: int = 0, dilation: int = 1, groups: int = 1
) -> tuple[Numbers, Numbers, Numbers, Shape]:
    """For each product: the numbers of its pixel, its weight and its entry of the result. Products with padding are left out."""
    (n, _, height, width), (out, channels, kh, kw) = x, w
    sizes = [size_of_result(s, k, stride=stride, padding=padding, dilation=dilation) for s, k in ((height, kh), (width, kw))]
    z: Shape = (n, out, *sizes)
    table = np.indices((*z, channels, kh, kw)).reshape(7, -1)
    image, o, i, j, c, a, e = table
    row, column = stride * i + dilation * a - padding, stride * j + dilation * e - padding
    inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    image, o, i, j, c, a, e, row, column = (part[inside] for part in (*table, row, column))
    channel = o // (out // groups) * channels + c
    pixel = np.ravel_multi_index((image, channel, row, column), x)
    weight = np.ravel_multi_index((o, c, a, e), w)
    return pixel, weight, np.ravel_multi_index((image, o, i, j), z), z


def conv2d_truth(x: Numbers, w: Numbers, b: Numbers, **options: int) -> Numbers:
    pixel, weight, entry, shape = products(x.shape, w.shape, **options)
    values = np.bincount(entry, x.reshape(-1)[pixel] * w.reshape(-1)[weight], int(np.prod(shape)))
    return values.reshape(shape) + b.reshape(1, -1, 1, 1)


def conv2d_vjp_truth(g: Numbers, x: Numbers, w: Numbers, b: Numbers, **options: int) -> tuple[Numbers, ...]:
    pixel, weight, entry, _ = products(x.shape, w.shape, **options)
    upstream = g.reshape(-1)[entry]
    dx = np.bincount(pixel, upstream * w.reshape(-1)[weight], x.size).reshape(x.shape)
    dw = np.bincount(weight, upstream * x.reshape(-1)[pixel], w.size).reshape(w.shape)
    return dx, dw, np.array([g[:, o].sum() for o in range(b.size)])


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def layer(
    rng: np.random.Generator,
    images: int,
    channels: tuple[int, int],
    image: tuple[int, int],
    kernel: tuple[int, int],
    **options: int,
) -> Case:
    """A case of conv2d_vjp. `channels` are the numbers of input and output channels."""
    ci, co = channels
    inputs = {
        "x": numbers(rng, images, ci, *image),
        "w": numbers(rng, co, ci // options.get("groups", 1), *kernel),
        "b": numbers(rng, co),
    }
    sizes = (size_of_result(size, reach, **options) for size, reach in zip(image, kernel, strict=True))
    return Case(inputs, (images, co, *sizes), options)


def expect_values(student: Student, cases: list[Case]) -> None:
    for number, case in enumerate(cases):
        answer = ask_unchanged(student, "conv2d", case.inputs, LAYOUTS[number % len(LAYOUTS)], case.options)
        shapes = ", ".join(f"{label}{value.shape}" for label, value in case.inputs.items())
        what = f"conv2d for {shapes}" + "".join(f", {name}={value}" for name, value in case.options.items())
        expect_close(answer, conv2d_truth(*case.inputs.values(), **case.options), what, case.inputs, VJP)


def expect_gradients(student: Student, cases: list[Case], rng: np.random.Generator, trials: int = 2) -> None:
    expect_vjp(student, "conv2d_vjp", conv2d_vjp_truth, cases, rng, trials=trials)


@check("The value for one channel, for several, and with padding and stride", points=2)
def values(student: Student, rng: np.random.Generator) -> None:
    plain, several = layer(rng, 1, (1, 1), (4, 5), (2, 3)), layer(rng, 2, (3, 2), (4, 3), (2, 2))
    expect_values(student, [plain, several, layer(rng, 2, (2, 3), (5, 4), (3, 3), padding=1, stride=2)])


@check("The gradients without options", points=1.5)
def gradients(student: Student, rng: np.random.Generator) -> None:
    expect_gradients(student, [layer(rng, 1, (1, 1), (4, 5), (2, 3)), layer(rng, 2, (3, 2), (4, 3), (2, 2))], rng)


@check("The gradients with padding, and with a stride", points=1.5)
def gradients_with_options(student: Student, rng: np.random.Generator) -> None:
    cases = [layer(rng, 2, (2, 3), (3, 4), (3, 2), padding=1), layer(rng, 2, (2, 3), (6, 5), (2, 3), stride=2)]
    expect_gradients(student, cases, rng)


@check("The value for other geometries", points=1.5, hidden=True)
def value_geometries(student: Student, rng: np.random.Generator) -> None:
    cases = [
        layer(rng, 2, (2, 3), (7, 6), (3, 2), stride=3),
        layer(rng, 1, (2, 2), (3, 4), (2, 3), padding=2),
        layer(rng, 2, (1, 2), (6, 7), (3, 2), dilation=2),
        layer(rng, 2, (4, 6), (4, 3), (2, 2), groups=2),
        layer(rng, 1, (3, 6), (3, 4), (2, 3), groups=3),
        layer(rng, 2, (4, 2), (8, 7), (2, 3), stride=2, padding=1, dilation=2, groups=2),
        layer(rng, 1, (1, 1), (1, 1), (1, 1)),
        layer(rng, 2, (3, 2), (2, 3), (1, 1), padding=2, stride=2),
        layer(rng, 1, (2, 1), (2, 3), (4, 5), padding=1),
    ]
    expect_values(student, cases)


@check("Padding: as large as the kernel, larger, and none", points=1.5, hidden=True)
def padding(student: Student, rng: np.random.Generator) -> None:
    cases = [
        layer(rng, 2, (1, 2), (3, 3), (3, 3), padding=0),
        layer(rng, 2, (2, 2), (3, 4), (2, 3), padding=2),
        layer(rng, 1, (2, 2), (3, 3), (3, 3), padding=1),
        layer(rng, 1, (1, 2), (2, 3), (1, 2), padding=2),
        layer(rng, 1, (2, 1), (2, 3), (4, 5), padding=1),
        layer(rng, 1, (1, 1), (5, 4), (3, 2), padding=1, stride=2),
    ]
    expect_gradients(student, cases, rng, trials=1)


@check("Strides of 2 and 3, also where windows do not reach the last rows", points=1.5, hidden=True)
def strides(student: Student, rng: np.random.Generator) -> None:
    cases = [
        layer(rng, 2, (2, 2), (6, 5), (3, 2), stride=2),
        layer(rng, 1, (1, 2), (7, 9), (2, 3), stride=3),
        layer(rng, 1, (2, 1), (5, 5), (3, 3), stride=3),
        layer(rng, 2, (2, 1), (5, 7), (1, 2), stride=3),
        layer(rng, 2, (1, 2), (4, 6), (3, 3), stride=2, padding=1),
        layer(rng, 1, (1, 1), (5, 5), (3, 3), stride=2),
        layer(rng, 1, (2, 2), (4, 3), (2, 2), stride=5),
    ]
    expect_gradients(student, cases, rng, trials=1)


@check("Dilation", points=1.5, hidden=True)
def dilations(student: Student, rng: np.random.Generator) -> None:
    cases = [
        layer(rng, 2, (2, 2), (5, 6), (3, 2), dilation=2),
        layer(rng, 1, (1, 2), (7, 8), (2, 3), dilation=3),
        layer(rng, 1, (2, 1), (5, 5), (3, 3), dilation=2),
        layer(rng, 2, (1, 2), (8, 6), (2, 2), dilation=2, stride=2),
        layer(rng, 1, (2, 2), (3, 4), (3, 2), dilation=2, padding=2),
        layer(rng, 1, (1, 2), (3, 4), (1, 1), dilation=4),
    ]
    expect_gradients(student, cases, rng, trials=1)


@check("Groups, down to one group for each channel", points=2, hidden=True)
def groups(student: Student, rng: np.random.Generator) -> None:
    cases = [
        layer(rng, 2, (4, 6), (3, 4), (2, 2), groups=2),
        layer(rng, 2, (4, 4), (4, 3), (2, 3), groups=2),
        layer(rng, 1, (3, 3), (3, 4), (2, 3), groups=3),
        layer(rng, 1, (3, 6), (4, 3), (3, 2), groups=3, padding=1),
        layer(rng, 2, (6, 3), (3, 3), (2, 2), groups=3, stride=2),
        layer(rng, 1, (4, 2), (2, 3), (1, 2), groups=2),
    ]
    expect_gradients(student, cases, rng)


@check("Kernels with one entry, and kernels as large as the image", points=1.5, hidden=True)
def extreme_kernels(student: Student, rng: np.random.Generator) -> None:
    cases = [
        layer(rng, 1, (1, 1), (1, 1), (1, 1)),
        layer(rng, 2, (3, 2), (3, 4), (1, 1)),
        layer(rng, 2, (2, 3), (5, 4), (1, 1), stride=2),
        layer(rng, 2, (2, 2), (2, 3), (1, 1), padding=1, stride=2),
        layer(rng, 3, (2, 3), (3, 4), (3, 4)),
        layer(rng, 1, (2, 2), (5, 1), (3, 1)),
        layer(rng, 1, (1, 2), (1, 4), (1, 3)),
    ]
    expect_gradients(student, cases, rng, trials=1)


@check("All options together", points=1.5, hidden=True)
def together(student: Student, rng: np.random.Generator) -> None:
    cases = [
        layer(rng, 2, (4, 2), (8, 7), (2, 3), stride=2, padding=1, dilation=2, groups=2),
        layer(rng, 2, (2, 4), (9, 6), (3, 2), stride=3, padding=2, dilation=2, groups=2),
        layer(rng, 1, (3, 3), (6, 8), (3, 3), stride=2, padding=2, dilation=3, groups=3),
        layer(rng, 3, (2, 2), (4, 5), (2, 2), stride=2, padding=1, dilation=1, groups=1),
    ]
    expect_gradients(student, cases, rng)


def correlated(x: Numbers, w: Numbers, b: Numbers) -> Numbers:
    """Kernels of two by two entries."""
    z = np.zeros((len(x), len(w), x.shape[2] - 1, x.shape[3] - 1), np.result_type(x, w, b))
    for a, e in np.ndindex(2, 2):
        z += np.tensordot(x[:, :, a : a + z.shape[2], e : e + z.shape[3]], w[:, :, a, e], (1, 1)).transpose(0, 3, 1, 2)
    return z + b[:, None, None]


@check("The gradients of many images, at the cost of a few forward passes", points=4, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (layer(rng, n // 125, (5, 2), (5, 5), (2, 2)).inputs for n in (FEW, MANY))
    expect_cheap_vjp(student, "conv2d_vjp", correlated, many, rng, few=few)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        groups, stride, dilation = (int(n) for n in rng.integers(1, 4, size=3))
        options = {"stride": stride, "padding": int(rng.integers(0, 3)), "dilation": dilation, "groups": groups}
        options = {name: value for name, value in options.items() if rng.random() < 0.6}
        ci, co = (options.get("groups", 1) * int(n) for n in rng.integers(1, 3, size=2))
        kh, kw = (int(n) for n in rng.integers(1, 4, size=2))
        least = [options.get("dilation", 1) * (k - 1) + 1 - 2 * options.get("padding", 0) for k in (kh, kw)]
        height, width = (max(1, n) + int(rng.integers(0, 5)) for n in least)
        case = layer(rng, int(rng.integers(1, 3)), (ci, co), (height, width), (kh, kw), **options)
        inputs = [value * (rng.random(value.shape) < 0.8) for value in case.inputs.values()]
        g = rng.choice([0.0, 1.0, 1e3]) * rng.normal(size=case.output_shape) * (rng.random(case.output_shape) < 0.8)
        layout = str(rng.choice(LAYOUTS))
        sent = [array(value, layout=layout) for value in (g, *inputs)]
        student.call_and_see("conv2d", *sent[1:], **options)
        student.call_and_see("conv2d_vjp", *sent, **options)


def forward(x: Any, w: Any, b: Any, stride: int = 1, padding: int = 0, dilation: int = 1, groups: int = 1) -> Any:
    """The columns of all windows, one product of matrices for each group, and the bias."""
    from torch.nn.functional import unfold

    n, out = x.shape[0], w.shape[0]
    columns = unfold(x, w.shape[2:], dilation=dilation, padding=padding, stride=stride)
    sizes = [
        size_of_result(s, k, stride=stride, padding=padding, dilation=dilation)
        for s, k in zip(x.shape[2:], w.shape[2:], strict=True)
    ]
    z = w.reshape(groups, out // groups, -1) @ columns.reshape(n, groups, -1, columns.shape[-1])
    return z.reshape(n, out, *sizes) + b.reshape(out, 1, 1)


forward_of("conv2d_vjp", forward)
