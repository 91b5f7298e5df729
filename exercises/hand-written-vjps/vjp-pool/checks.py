"""The truth is the definition: the list of the image's entries in each window, in row-major order."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, Ask, expect_cheap_vjp
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_vjp
from autograder.judge.diagnosis import forward_of, raises, symptom

Pair = tuple[int, int]
Places = list[tuple[int, int]]


def sizes_of_result(image: Pair, kernel: Pair, stride: Pair, padding: Pair) -> list[int]:
    """Counts the windows that fit into the padded image."""
    counts = []
    for size, reach, step, pad in zip(image, kernel, stride, padding, strict=True):
        counts.append(len(range(-pad, size + pad - reach + 1, step)))
    return counts


def windows(image: Pair, kernel: Pair, stride: Pair, padding: Pair) -> Iterator[tuple[int, int, Places]]:
    """The row and column of each window in the result, and its entries that lie in the image."""
    rows, columns = sizes_of_result(image, kernel, stride, padding)
    for i in range(rows):
        for j in range(columns):
            inside = [
                (i * stride[0] - padding[0] + a, j * stride[1] - padding[1] + e)
                for a in range(kernel[0])
                for e in range(kernel[1])
            ]
            yield i, j, [(r, q) for r, q in inside if 0 <= r < image[0] and 0 <= q < image[1]]


def max_truth(x: Numbers, **geometry: Pair) -> Numbers:
    image: Any = x.shape[2:]
    z = np.zeros((*x.shape[:2], *sizes_of_result(image, **geometry)))
    for i, j, places in windows(image, **geometry):
        for n, c in np.ndindex(*x.shape[:2]):
            z[n, c, i, j] = max(x[n, c, r, q] for r, q in places)
    return z


def max_vjp_truth(g: Numbers, x: Numbers, **geometry: Pair) -> tuple[Numbers]:
    dx = np.zeros(x.shape)
    image: Any = x.shape[2:]
    for i, j, places in windows(image, **geometry):
        for n, c in np.ndindex(*x.shape[:2]):
            largest = max(x[n, c, r, q] for r, q in places)
            row, column = next((r, q) for r, q in places if x[n, c, r, q] == largest)
            dx[n, c, row, column] += g[n, c, i, j]
    return (dx,)


def avg_truth(x: Numbers, *, count_padding: bool = True, **geometry: Pair) -> Numbers:
    image: Any = x.shape[2:]
    z = np.zeros((*x.shape[:2], *sizes_of_result(image, **geometry)))
    for i, j, places in windows(image, **geometry):
        count = geometry["kernel"][0] * geometry["kernel"][1] if count_padding else len(places)
        z[:, :, i, j] = sum(x[:, :, r, q] for r, q in places) / count
    return z


def avg_vjp_truth(g: Numbers, x: Numbers, *, count_padding: bool = True, **geometry: Pair) -> tuple[Numbers]:
    dx = np.zeros(x.shape)
    image: Any = x.shape[2:]
    for i, j, places in windows(image, **geometry):
        count = geometry["kernel"][0] * geometry["kernel"][1] if count_padding else len(places)
        for r, q in places:
            dx[:, :, r, q] += g[:, :, i, j] / count
    return (dx,)


def distinct(rng: np.random.Generator, *shape: int) -> Numbers:
    """Where there is room for more, one of the numbers is 0."""
    values = np.asarray(rng.normal(size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def tied(rng: np.random.Generator, *shape: int) -> Numbers:
    """Few different numbers, so that most windows have several largest entries. -0 and 0 are equal."""
    return np.asarray(rng.choice([-1.0, -0.0, 0.0, 2.0], size=shape, p=[0.3, 0.15, 0.15, 0.4]))


def layer(x: Numbers, kernel: Pair, stride: Pair, padding: Pair, **options: bool) -> Case:
    image: Any = x.shape[2:]
    shape = (*x.shape[:2], *sizes_of_result(image, kernel, stride, padding))
    return Case({"x": x}, shape, {"kernel": kernel, "stride": stride, "padding": padding, **options})


def in_words(case: Case) -> str:
    return f"x{case.inputs['x'].shape}" + "".join(f", {name}={value}" for name, value in case.options.items())


def expect_values(student: Student, name: str, cases: list[Case]) -> None:
    truth = max_truth if name == "max_pool2d" else avg_truth
    for number, case in enumerate(cases):
        answer = ask_unchanged(student, name, case.inputs, LAYOUTS[number % len(LAYOUTS)], case.options)
        right = truth(case.inputs["x"], **case.options)
        expect_close(answer, right, f"{name} for {in_words(case)}", case.inputs, VJP, nonfinite=bool(np.isinf(right).any()))


def expect_max(student: Student, rng: np.random.Generator, cases: list[Case], trials: int = 2) -> None:
    expect_vjp(student, "max_pool2d_vjp", max_vjp_truth, cases, rng, trials=trials)


def expect_avg(student: Student, rng: np.random.Generator, cases: list[Case], trials: int = 2) -> None:
    expect_vjp(student, "avg_pool2d_vjp", avg_vjp_truth, cases, rng, trials=trials)


# image, kernel, stride, padding
Geometry = tuple[Pair, Pair, Pair, Pair]
FIRST: list[Geometry] = [
    ((4, 6), (2, 3), (2, 3), (0, 0)),  # side by side
    ((4, 5), (2, 3), (1, 1), (0, 0)),  # overlapping
    ((5, 4), (3, 2), (2, 1), (1, 1)),  # with padding
    ((5, 7), (2, 3), (2, 2), (0, 1)),  # the last row is left over
]
OTHER: list[Geometry] = [
    ((6, 5), (3, 2), (1, 2), (1, 0)),
    ((5, 6), (2, 4), (2, 1), (0, 2)),
    ((4, 4), (3, 3), (2, 2), (1, 1)),
    ((5, 5), (4, 4), (1, 1), (2, 2)),
    ((7, 3), (3, 1), (2, 1), (0, 0)),
    ((3, 4), (3, 4), (1, 1), (0, 0)),
    ((3, 4), (3, 4), (2, 3), (1, 2)),
    ((1, 1), (1, 1), (1, 1), (0, 0)),
    ((1, 3), (2, 2), (1, 1), (1, 1)),
    ((4, 1), (2, 1), (3, 2), (1, 0)),
]
LEFT_OVER: list[Geometry] = [
    ((7, 6), (2, 2), (3, 4), (0, 0)),  # entries between the windows, too
    ((5, 8), (3, 3), (3, 3), (0, 0)),
    ((4, 7), (1, 2), (2, 3), (0, 0)),
    ((5, 5), (2, 2), (4, 5), (1, 1)),
    ((6, 4), (3, 2), (4, 3), (1, 1)),
    ((6, 3), (3, 2), (2, 2), (0, 0)),
]


def images(rng: np.random.Generator, geometries: list[Geometry], *leading: int) -> list[Case]:
    return [layer(distinct(rng, *leading, *image), *where) for image, *where in geometries]


def counted(cases: list[Case], *counts: bool) -> list[Case]:
    """The cases with the option, which changes from case to case."""
    return [
        Case(case.inputs, case.output_shape, case.options | {"count_padding": counts[number % len(counts)]})
        for number, case in enumerate(cases)
    ]


@check("The values of max pooling", points=1)
def max_values(student: Student, rng: np.random.Generator) -> None:
    expect_values(student, "max_pool2d", images(rng, FIRST, 2, 3))


@check("The values of average pooling", points=1)
def avg_values(student: Student, rng: np.random.Generator) -> None:
    cases = images(rng, FIRST, 2, 3)
    expect_values(student, "avg_pool2d", [*cases, *counted(cases, False)])


@check("The gradient of max pooling", points=1.5)
def max_gradient(student: Student, rng: np.random.Generator) -> None:
    expect_max(student, rng, images(rng, FIRST, 2, 3))


@check("The gradient of average pooling", points=1.5)
def avg_gradient(student: Student, rng: np.random.Generator) -> None:
    cases = images(rng, FIRST, 2, 3)
    expect_avg(student, rng, [*cases, *counted(cases, False)])


@check("The values for other windows", points=1, hidden=True)
def other_values(student: Student, rng: np.random.Generator) -> None:
    cases = [*images(rng, [*OTHER, *LEFT_OVER], 1, 2), *images(rng, OTHER[:2], 3, 1)]
    expect_values(student, "max_pool2d", cases)
    expect_values(student, "avg_pool2d", [*cases[:5], *counted(cases, True, False), *counted(cases, False, True)])


@check("The gradient of max pooling for other windows", points=1.5, hidden=True)
def other_max(student: Student, rng: np.random.Generator) -> None:
    expect_max(student, rng, [*images(rng, OTHER, 2, 2), *images(rng, OTHER[:3], 3, 1)], trials=1)


@check("The gradient of average pooling for other windows", points=1.5, hidden=True)
def other_avg(student: Student, rng: np.random.Generator) -> None:
    cases = images(rng, OTHER, 2, 2)
    expect_avg(student, rng, [*cases[:4], *counted(cases, True, False), *counted(cases, False, True)], trials=1)


@check("Windows that leave rows or columns out", points=1, hidden=True)
def left_over(student: Student, rng: np.random.Generator) -> None:
    cases = images(rng, LEFT_OVER, 1, 2)
    expect_max(student, rng, cases, trials=1)
    expect_avg(student, rng, counted(cases, True, False), trials=1)


@check("Ties go to the first entry", points=2, hidden=True)
def ties(student: Student, rng: np.random.Generator) -> None:
    where = [*FIRST, *OTHER[:4]]
    expect_max(student, rng, [layer(tied(rng, 2, 2, *image), *rest) for image, *rest in where], trials=1)
    equal = [layer(np.full((1, 2, *image), float(rng.integers(-3, 4))), *rest) for image, *rest in where]
    expect_max(student, rng, equal, trials=1)


@check("Padding never wins, against numbers of any size", points=1.5, hidden=True)
def padding_never_wins(student: Student, rng: np.random.Generator) -> None:
    padded: list[Geometry] = [FIRST[2], OTHER[0], OTHER[2], OTHER[8]]
    scaled = zip([1.0, 1e12, 1e300, 1e12], padded, strict=True)
    cases = [layer(-scale * rng.uniform(0.2, 1, size=(1, 2, *image)), *rest) for scale, (image, *rest) in scaled]
    infinite = [layer(np.full((1, 1, *image), -np.inf), *rest) for image, *rest in padded[::2]]
    some = [layer(np.where(rng.random((1, 2, *image)) < 0.7, -np.inf, -1.0), *rest) for image, *rest in padded[1::2]]
    expect_values(student, "max_pool2d", [*cases, *infinite, *some])
    expect_max(student, rng, [*cases, *infinite, *some], trials=1)


@check("No images, and no channels", points=0.5, hidden=True, fixed="the results have no entries")
def empty(student: Student, rng: np.random.Generator) -> None:
    cases = [*images(rng, FIRST, 0, 3), *images(rng, FIRST[1:], 2, 0)]
    expect_values(student, "max_pool2d", cases)
    expect_values(student, "avg_pool2d", counted(cases, True, False))
    expect_max(student, rng, cases, trials=1)
    expect_avg(student, rng, counted(cases, True, False), trials=1)


def blocks(x: Numbers) -> Numbers:
    """The entries of each window of two by two entries, in a last axis."""
    n, c, height, width = x.shape
    return x.reshape(n, c, height // 2, 2, width // 2, 2).swapaxes(3, 4).reshape(n, c, height // 2, width // 2, 4)


def largest(x: Numbers) -> Numbers:
    windows = blocks(x)
    return np.take_along_axis(windows, windows.real.argmax(axis=-1)[..., None], -1)[..., 0]


@check("The gradients of many images, at the cost of a few forward passes", points=4, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def of(name: str) -> Ask:
        return lambda g, x: student.call(name, array(g), array(x["x"]), kernel=(2, 2), stride=(2, 2), padding=(0, 0))

    few, many = ({"x": distinct(rng, n // 400, 25, 4, 4)} for n in (FEW, MANY))
    expect_cheap_vjp(student, "max_pool2d_vjp", largest, many, rng, few=few, ask=of("max_pool2d_vjp"))
    expect_cheap_vjp(
        student, "avg_pool2d_vjp", lambda x: blocks(x).mean(axis=-1), many, rng, few=few, ask=of("avg_pool2d_vjp")
    )


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(2):
        kernel, stride = ((int(a), int(b)) for a, b in rng.integers(1, 4, size=(2, 2)))
        padding = int(rng.integers(0, kernel[0] // 2 + 1)), int(rng.integers(0, kernel[1] // 2 + 1))
        image = [max(1, k - 2 * p) + int(rng.integers(0, 5)) for k, p in zip(kernel, padding, strict=True)]
        leading = (int(size) for size in rng.choice(3, size=2, p=[0.1, 0.5, 0.4]))
        shape = (*leading, *image)
        x = distinct(rng, *shape) if rng.random() < 0.5 else tied(rng, *shape)
        x = np.asarray(x * rng.choice([0.0, 1.0, 1e6]) - rng.choice([0.0, 5.0]))
        count = {"count_padding": bool(rng.random() < 0.5)} if rng.random() < 0.6 else {}
        case = layer(x, kernel, stride, padding)
        masked = np.where(rng.random(x.shape) < 0.2, -np.inf, x)
        g = np.asarray(rng.normal(size=case.output_shape) * (rng.random(case.output_shape) < 0.8))
        layout = str(rng.choice(LAYOUTS))
        sent, image_sent, masked_sent = (array(values, layout=layout) for values in (g, x, masked))
        student.call_and_see("max_pool2d", masked_sent, **case.options)
        student.call_and_see("max_pool2d_vjp", sent, masked_sent, **case.options)
        student.call_and_see("avg_pool2d", image_sent, **case.options, **count)
        student.call_and_see("avg_pool2d_vjp", sent, image_sent, **case.options, **count)


def average(x: Any, kernel: Any, stride: Any, padding: Any, count_padding: bool = True) -> Any:
    """The columns of all windows, their sum, and a division."""
    import torch
    from torch.nn.functional import unfold

    where = {"kernel_size": tuple(kernel), "stride": tuple(stride), "padding": tuple(padding)}
    n, channels = x.shape[:2]
    size = kernel[0] * kernel[1]
    columns = unfold(x, **where).reshape(n, channels, size, -1)
    inside = unfold(torch.ones_like(x[:1, :1]), **where).sum(1)
    counts = torch.full_like(inside, float(size)) if count_padding else inside
    image: Any = tuple(x.shape[2:])
    rows = sizes_of_result(image, tuple(kernel), tuple(stride), tuple(padding))
    return (columns.sum(2) / counts).reshape(n, channels, *rows)


forward_of("avg_pool2d_vjp", average)
without_entries = raises("zero-size", "size 0", "empty", "at least one", "out of range", "division by zero")
symptom("empty-batch", without_entries, check="empty", raised=True)
