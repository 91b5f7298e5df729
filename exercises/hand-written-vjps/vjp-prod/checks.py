"""The truth sets one entry to 1 and multiplies: a product is linear in each factor, so this is the slope."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, Tolerance, array, check, expect_close, to_numpy, variety
from autograder.judge.checks.backward_cost import MANY, SECONDS, Ask, expect_cheap_vjp
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_tuple, expect_vjp
from autograder.judge.diagnosis import forward_of, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]
EXACT = Tolerance(1e-7, 0.0)


def prod_truth(g: Numbers, x: Numbers, *, axis: int | None = None, keepdims: bool = False) -> tuple[Numbers, ...]:
    upstream = g if keepdims or axis is None else np.expand_dims(g, axis)
    slopes = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        varied = x.copy()
        varied[place] = 1.0
        with np.errstate(over="ignore"):  # in other slices
            kept = np.prod(varied, axis=axis, keepdims=True)
        slopes[place] = kept[tuple(0 if size == 1 else n for n, size in zip(place, kept.shape, strict=True))]
    return (np.broadcast_to(upstream, x.shape) * slopes,) if x.ndim else (g * slopes,)


def cumprod_truth(g: Numbers, x: Numbers, *, axis: int) -> tuple[Numbers, ...]:
    dx = np.zeros(x.shape)
    position = np.indices(x.shape)[axis]
    for place in np.ndindex(*x.shape):
        varied = x.copy()
        varied[place] = 1.0
        own = tuple(slice(None) if n == axis % x.ndim else entry for n, entry in enumerate(place))
        affected = position[own] >= place[axis]
        dx[place] = (g[own] * np.cumprod(varied[own]))[affected].sum()
    return (dx,)


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Not 0, and of either sign."""
    return np.asarray(rng.uniform(0.5, 2.0, size=shape) * rng.choice([-1.0, 1.0], size=shape))


def with_zeros(rng: np.random.Generator, x: Numbers, axis: int | None, *counts: int) -> Numbers:
    """So many zeros in each slice, in turn, at random positions. At least one zero of an array with several is -0.0."""
    x = x.copy()
    slices = x.reshape(1, -1) if axis is None else np.moveaxis(x, axis, -1)
    for number, place in enumerate(np.ndindex(*slices.shape[:-1])):
        chosen = rng.permutation(slices.shape[-1])[: counts[number % len(counts)]]
        slices[place][chosen] = rng.permutation(np.resize([0.0, -0.0], len(chosen)))
    return x


def product(x: Numbers, **options: Any) -> Case:
    return Case({"x": x}, np.prod(np.ones(x.shape), **options).shape, options)


def cumulative(x: Numbers, axis: int) -> Case:
    return Case({"x": x}, x.shape, {"axis": axis})


@check("prod_vjp: no entry is zero", points=1)
def prod_without_zeros(student: Student, rng: np.random.Generator) -> None:
    cases = [product(numbers(rng, 4)), product(numbers(rng, 3, 4), axis=1)]
    expect_vjp(student, "prod_vjp", prod_truth, cases, rng)


@check("prod_vjp: rows with one zero, with two, and without any", points=1.5)
def prod_with_zeros(student: Student, rng: np.random.Generator) -> None:
    x = with_zeros(rng, numbers(rng, 3, 4), 1, *(int(n) for n in rng.permutation(3)))
    expect_vjp(
        student, "prod_vjp", prod_truth, [product(with_zeros(rng, numbers(rng, 4), None, 1)), product(x, axis=1)], rng
    )


@check("cumprod_vjp of a vector and of the columns of a matrix", points=1)
def cumprod_small(student: Student, rng: np.random.Generator) -> None:
    cases = [cumulative(numbers(rng, 4), 0), cumulative(numbers(rng, 4, 2), 0)]
    expect_vjp(student, "cumprod_vjp", cumprod_truth, cases, rng)


AXES: list[tuple[Shape, int]] = [((3, 4), 0), ((3, 3), 0), ((3, 3), -1), ((2, 3, 4), 1), ((2, 3, 4), -3), ((2, 3, 4), -1)]
SIZE_ONE: list[tuple[Shape, int]] = [((1, 3), 1), ((3, 1), 0), ((2, 1, 3), -1), ((1, 2, 1), 1)]  # along another axis


@check("prod_vjp along every axis, with and without keepdims", points=1, hidden=True)
def prod_axes(student: Student, rng: np.random.Generator) -> None:
    cases = [
        product(numbers(rng, *shape), axis=axis, keepdims=kept)
        for shape, axis in [*AXES, *SIZE_ONE]
        for kept in (False, True)
    ]
    cases += [product(numbers(rng, *shape), keepdims=kept) for shape in ((3, 3), (2, 1, 3)) for kept in (False, True)]
    expect_vjp(student, "prod_vjp", prod_truth, [*cases, product(numbers(rng, 2, 3), axis=None)], rng, trials=2)


@check("prod_vjp: any number of zeros in any slice", points=1.5, hidden=True)
def prod_many_zeros(student: Student, rng: np.random.Generator) -> None:
    cases = [product(with_zeros(rng, numbers(rng, 2, 3, 2), axis, 0, 1, 2), axis=axis) for axis in (0, 1, 2)]
    cases += [product(with_zeros(rng, numbers(rng, 2, 3), None, n), keepdims=n < 2) for n in (1, 2, 6)]
    cases += [product(with_zeros(rng, numbers(rng, 4, 3), 0, 1, 3, 2), axis=-2, keepdims=True)]
    cases += [
        product(with_zeros(rng, numbers(rng, 5), None, 2)),
        product(with_zeros(rng, numbers(rng, 3, 4), 1, 3, 2), axis=1),
    ]
    expect_vjp(student, "prod_vjp", prod_truth, cases, rng, trials=2, tolerance=EXACT)


@check("cumprod_vjp along every axis", points=1, hidden=True)
def cumprod_axes(student: Student, rng: np.random.Generator) -> None:
    cases = [cumulative(numbers(rng, *shape), axis) for shape, axis in [*AXES, ((6,), -1), ((1, 3), 0), ((3, 1), -1)]]
    expect_vjp(student, "cumprod_vjp", cumprod_truth, cases, rng, trials=2)


@check("cumprod_vjp: zeros at the start, in the middle and at the end", points=1.5, hidden=True)
def cumprod_zeros(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for places in ([0], [2], [4], [1, 3], [0, 4], [3, 4], [0, 1, 2, 3, 4]):
        x = numbers(rng, 5)
        x[places] = rng.choice([0.0, -0.0])
        cases.append(cumulative(x, 0))
    cases += [cumulative(with_zeros(rng, numbers(rng, 3, 4), axis, 1, 2, 0), axis) for axis in (0, -1)]
    expect_vjp(student, "cumprod_vjp", cumprod_truth, cases, rng, trials=2)


@check("A single entry, and empty arrays", points=1, hidden=True)
def single_and_empty(student: Student, rng: np.random.Generator) -> None:
    zero = np.array([rng.choice([0.0, -0.0])])
    cases = [product(numbers(rng)), product(numbers(rng), keepdims=True), product(numbers(rng, 1)), product(zero, axis=0)]
    cases += [product(numbers(rng, 3, 1), axis=1), product(numbers(rng, 1, 3), axis=1, keepdims=True), product(np.zeros(()))]
    expect_vjp(student, "prod_vjp", prod_truth, cases, rng, trials=2)
    empty = [product(np.zeros((0,))), product(np.zeros((3, 0)), axis=1), product(np.zeros((3, 0)), axis=0)]
    expect_vjp(student, "prod_vjp", prod_truth, [*empty, product(np.zeros((2, 0)), keepdims=True)], rng, trials=1)
    expect_vjp(student, "cumprod_vjp", cumprod_truth, [cumulative(numbers(rng, 1), 0), cumulative(zero, -1)], rng, trials=2)
    expect_vjp(student, "cumprod_vjp", cumprod_truth, [cumulative(np.zeros((3, 0)), axis) for axis in (0, 1)], rng, trials=1)


def out_of_range(rng: np.random.Generator, *shape: int) -> Numbers:
    """Slices of size 2 along the last axis, whose products are in turn too small and too large for a float."""
    x = numbers(rng, *shape)
    sizes = rng.permuted(np.array([[1e-90, 1e-240], [1e200, 1e130], [1e-245, 1e-100]]), axis=1)
    return np.asarray(x * sizes[np.arange(x.size // 2) % 3].reshape(shape))


def expect_in_range(student: Student, name: str, case: Case, g: Numbers) -> None:
    """Whose gradients have a size of about 1, unlike the entries."""
    arguments = {"g": g, **case.inputs}
    truth = (prod_truth if name == "prod_vjp" else cumprod_truth)(g, *case.inputs.values(), **case.options)
    answer = ask_unchanged(student, name, arguments, "contiguous", case.options)
    expect_tuple(answer, 1, name, arguments)
    what = f"{name}: the gradient with respect to x for g{g.shape}, x{truth[0].shape}"
    expect_close(answer[0], truth[0], what, arguments, VJP)


@check("Slices of two entries whose product is not a float64", points=0.5, hidden=True)
def range_of_products(student: Student, rng: np.random.Generator) -> None:
    x = out_of_range(rng, 3, 2)
    g = upstream(rng, (3,)) / np.abs(x).max(axis=1)
    expect_in_range(student, "prod_vjp", product(x, axis=1), g)
    expect_in_range(student, "prod_vjp", product(x.T.copy(), axis=0, keepdims=True), g[None])
    for row, scale in zip(x, g, strict=True):
        expect_in_range(student, "prod_vjp", product(row), np.asarray(scale))
        expect_in_range(student, "cumprod_vjp", cumulative(row, 0), upstream(rng, (2,)) * [1.0, scale])


@check("The gradients of many rows, at the cost of a few forward passes", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def in_rows(name: str) -> Ask:
        return lambda g, inputs: student.call(name, array(g), array(inputs["x"]), axis=-1)

    many = {"x": numbers(rng, MANY // 4, 8)}
    expect_cheap_vjp(student, "prod_vjp", lambda x: np.prod(x, axis=-1), many, rng, ask=in_rows("prod_vjp"))
    expect_cheap_vjp(student, "cumprod_vjp", lambda x: np.cumprod(x, axis=-1), many, rng, ask=in_rows("cumprod_vjp"))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(4):
        shape = tuple(int(n) for n in rng.choice(5, size=int(rng.integers(4)), p=[0.05, 0.2, 0.3, 0.25, 0.2]))
        axis = int(rng.integers(-len(shape), len(shape))) if shape and rng.random() < 0.8 else None
        x = numbers(rng, *shape)
        if rng.random() < 0.5 and x.size:
            x = with_zeros(rng, x, axis, *(int(n) for n in rng.integers(4, size=3)))
        if rng.random() < 0.2:
            axis, x = -1, out_of_range(rng, 3, 2)
        options: dict[str, Any] = {} if axis is None and rng.random() < 0.5 else {"axis": axis}
        if rng.random() < 0.6:
            options["keepdims"] = bool(rng.random() < 0.5)
        layout = str(rng.choice(LAYOUTS))
        g = np.asarray(rng.normal(size=np.prod(np.ones(x.shape), **options).shape))
        student.call_and_see("prod_vjp", array(g, layout=layout), array(x, layout=layout), **options)
        if axis is not None:
            g = np.asarray(rng.normal(size=x.shape) * (rng.random(x.shape) < 0.8))
            student.call_and_see("cumprod_vjp", array(g, layout=layout), array(x, layout=layout), axis=axis)


def forward(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    if axis is None:
        return x.reshape(-1).prod(0).reshape([1] * x.ndim if keepdims else [])
    return x.prod(axis, keepdim=keepdims)


def undefined_or_right(right: Any, given: Any) -> bool:
    """nan or inf in some entries, and no other mistake."""
    truth, answer = to_numpy(right[0]), to_numpy(given[0])
    odd = ~np.isfinite(answer)
    return bool(odd.any() and np.allclose(answer[~odd], truth[~odd]))


def lacks_sign(right: Any, given: Any) -> bool:
    truth, answer = to_numpy(right[0]), to_numpy(given[0])
    return isinstance(given[0], Array) and bool(np.allclose(abs(answer), abs(truth)))


forward_of("prod_vjp", forward)
forward_of("cumprod_vjp", lambda x, axis: x.cumprod(axis))
for where in ("prod-with-zeros", "prod-many-zeros", "cumprod-zeros"):
    symptom("zero-division", undefined_or_right, check=where)
for where in ("prod-without-zeros", "prod-with-zeros", "prod-axes", "prod-many-zeros"):
    symptom("sign-lost", lacks_sign, check=where)
