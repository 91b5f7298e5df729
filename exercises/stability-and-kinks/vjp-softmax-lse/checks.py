"""The truth in pairwise form, without any shift: p_i is 1 / sum_j exp(x_j - x_i), and dx_i is sum_j p_i p_j (g_i - g_j)."""

from dataclasses import replace
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect, expect_close, to_numpy, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, expect_cheap_vjp
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_vjp
from autograder.judge.diagnosis import forward_of, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]


def softmax_truth(x: Numbers, *, axis: int = -1) -> Numbers:
    rows = np.moveaxis(x, axis, -1)
    blocked = np.isneginf(rows)
    finite = np.where(blocked, 0.0, rows)
    with np.errstate(over="ignore"):  # exp(+large) is inf, and one over that is the right 0
        ratios = np.where(blocked[..., None, :], 0.0, np.exp(finite[..., None, :] - finite[..., :, None]))
        probabilities = np.where(blocked, 0.0, 1 / np.where(blocked, 1.0, ratios.sum(axis=-1)))
    return np.moveaxis(probabilities, -1, axis)


def lse_truth(x: Numbers, *, axis: int = -1) -> Numbers:
    """The largest entry less the logarithm of its probability."""
    peak = softmax_truth(x, axis=axis).max(axis=axis)
    return np.asarray(x.max(axis=axis) - np.log(np.where(peak == 0, 1.0, peak)))


def softmax_vjp_truth(g: Numbers, x: Numbers, *, axis: int = -1) -> tuple[Numbers, ...]:
    p, upstream = np.moveaxis(softmax_truth(x, axis=axis), axis, -1), np.moveaxis(g, axis, -1)
    differences = upstream[..., :, None] - upstream[..., None, :]
    return (np.moveaxis((p[..., :, None] * p[..., None, :] * differences).sum(axis=-1), -1, axis),)


def lse_vjp_truth(g: Numbers, x: Numbers, *, axis: int = -1) -> tuple[Numbers, ...]:
    rows = np.moveaxis(softmax_truth(x, axis=axis), axis, -1)
    return (np.moveaxis(g[..., None] * rows, -1, axis),)


def lse_shape(shape: Shape, axis: int = -1) -> Shape:
    return tuple(size for number, size in enumerate(shape) if number != axis % len(shape))


def points(rng: np.random.Generator, shapes: list[tuple[Shape, int | None]], scale: float = 1.5) -> list[Case]:
    """Cases of softmax_vjp. An axis of None is left to its default."""
    return [
        Case({"x": scale * rng.normal(size=shape)}, shape, {} if axis is None else {"axis": axis}) for shape, axis in shapes
    ]


def expect_forward(student: Student, cases: list[Case], *, nonfinite: bool = False) -> None:
    for name, truth in (("softmax", softmax_truth), ("lse", lse_truth)):
        for number, case in enumerate(cases):
            x = case.inputs["x"]
            answer = ask_unchanged(student, name, {"x": x}, LAYOUTS[number % len(LAYOUTS)], case.options)
            what = f"{name} of x{x.shape}" + "".join(f" along axis {axis}" for axis in case.options.values())
            expect_close(answer, truth(x, **case.options), what, {"x": x}, VJP, nonfinite=nonfinite)


def expect_backward(student: Student, cases: list[Case], rng: np.random.Generator, trials: int = 3) -> None:
    expect_vjp(student, "softmax_vjp", softmax_vjp_truth, cases, rng, trials=trials)
    reduced = [replace(case, output_shape=lse_shape(case.output_shape, **case.options)) for case in cases]
    expect_vjp(student, "lse_vjp", lse_vjp_truth, reduced, rng, trials=trials)


@check("softmax and lse of a vector and of the rows of a matrix, including large numbers", points=2)
def forwards(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, points(rng, [((5,), None), ((3, 4), None), ((3, 4), 1)]))
    expect_forward(student, [Case({"x": 1000 + rng.normal(size=(3, 4))}, (3, 4))])


@check("The gradient of softmax along the last axis", points=1.5)
def softmax_backward(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "softmax_vjp", softmax_vjp_truth, points(rng, [((5,), None), ((3, 4), -1)]), rng)


@check("The gradient of lse of a vector and of the columns of a matrix", points=1)
def lse_backward(student: Student, rng: np.random.Generator) -> None:
    asked = points(rng, [((5,), None), ((3, 4), 0)])
    cases = [replace(case, output_shape=lse_shape(case.output_shape, **case.options)) for case in asked]
    expect_vjp(student, "lse_vjp", lse_vjp_truth, cases, rng)


SHAPES: list[tuple[Shape, int | None]] = [
    ((3, 4), None),
    ((3, 4), 0),
    ((4, 4), 0),
    ((2, 3, 4), None),
    ((2, 3, 4), 0),
    ((2, 3, 4), 1),
    ((3, 3, 3), -2),
    ((2, 1, 3), 1),
    ((2, 1, 3), 2),
    ((1, 3), 0),
    ((1,), None),
]


def tied(rng: np.random.Generator) -> Case:
    """Two entries that are the largest together, three that are the smallest, a row of equal ones; zeros of either sign."""
    rows = [[0.0, -0.0, -1.0, -2.5], [2.0, 2.0, -1.0, 0.0], [1.0, -3.0, -3.0, -3.0], [0.7, 0.7, 0.7, 0.7]]
    x = np.array([rng.permutation(row) for row in rows])
    return Case({"x": x}, x.shape)


@check("softmax and lse along every axis", points=1, hidden=True)
def forwards_along_axes(student: Student, rng: np.random.Generator) -> None:
    cases = points(rng, SHAPES)
    scores = rng.normal(size=(3, 4))
    logs = scores - lse_truth(scores)[:, None] + 1e-3 * rng.normal(size=(3, 1))  # nearly log-probabilities: lse is small
    expect_forward(student, [*cases, Case({"x": logs}, logs.shape), tied(rng)])


@check("Both gradients along every axis", points=1.5, hidden=True)
def gradients_along_axes(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, [*points(rng, SHAPES), tied(rng)], rng, trials=3)


def large(rng: np.random.Generator) -> list[Case]:
    """Steep rows; rows near +1e4 and near -1e4 in one array; one row that spans the whole range."""
    heights = rng.permutation([1e4 - 8, -1e4 + 8, 3.0])
    levels = heights[:, None] + rng.uniform(-2, 2, (3, 4))
    span = rng.permutation(np.append(rng.uniform(-1e4, 0, 3), [1e4 - 1, 1e4 - 1.5, -1e4]))
    row = 1e4 * float(rng.choice([-1, 1])) + np.zeros((2, 3)) + rng.uniform(-1, 1, (2, 1))
    steep = 30 * rng.normal(size=(3, 5))
    return [
        Case({"x": steep}, steep.shape),
        Case({"x": levels}, levels.shape, {"axis": 1}),
        Case({"x": np.ascontiguousarray(levels.T)}, levels.T.shape, {"axis": 0}),
        Case({"x": span}, span.shape, {"axis": 0}),
        Case({"x": np.clip(row, -1e4, 1e4)}, row.shape),
    ]


@check("softmax and lse of large numbers", points=1, hidden=True)
def forwards_of_large(student: Student, rng: np.random.Generator) -> None:
    expect_forward(student, large(rng))


@check("Both gradients for large numbers", points=1, hidden=True)
def gradients_at_large(student: Student, rng: np.random.Generator) -> None:
    expect_backward(student, large(rng), rng, trials=1)


def masked(rng: np.random.Generator, *, whole_slice: bool) -> list[Case]:
    """Entries of -inf, one or two of them in each row, beside ordinary and large numbers; or a row of nothing else."""
    x = 2 * rng.normal(size=(4, 5))
    x[1] += 9e3
    for row in x:
        row[rng.choice(5, size=int(rng.integers(1, 3)), replace=False)] = -np.inf
    if whole_slice:
        x[int(rng.integers(4))] = -np.inf
        return [
            Case({"x": x}, x.shape),
            Case({"x": np.ascontiguousarray(x.T)}, (5, 4), {"axis": 0}),
            Case({"x": np.stack([x, np.full_like(x, -np.inf)])}, (2, 4, 5), {"axis": 2}),
            Case({"x": np.full((3,), -np.inf)}, (3,)),
        ]
    return [Case({"x": x}, x.shape), Case({"x": np.ascontiguousarray(x.T)}, (5, 4), {"axis": 0}), Case({"x": x[1]}, (5,))]


def expect_masked(student: Student, rng: np.random.Generator, cases: list[Case]) -> None:
    expect_forward(student, cases, nonfinite=True)
    expect_backward(student, cases, rng, trials=1)
    for case in cases:
        x = case.inputs["x"]
        blocked = np.isneginf(x)
        for name, shape in (("softmax", None), ("softmax_vjp", x.shape), ("lse_vjp", lse_shape(x.shape, **case.options))):
            inputs = {"x": x} if shape is None else {"g": np.asarray(rng.normal(size=shape)), "x": x}
            answer: Any = student.call(name, *inputs.values(), **case.options)
            given = answer[0] if isinstance(answer, tuple) and len(answer) == 1 else answer
            exact = isinstance(given, Array) and given.shape == x.shape and bool((to_numpy(given)[blocked] == 0).all())
            expect(exact, f"{name} must be exactly 0 where x is -inf.", name, inputs)


@check("Entries of -inf: probability and gradient exactly 0", points=1, hidden=True)
def masked_entries(student: Student, rng: np.random.Generator) -> None:
    expect_masked(student, rng, masked(rng, whole_slice=False))


@check("Slices that contain only -inf", points=1.5, hidden=True)
def masked_slices(student: Student, rng: np.random.Generator) -> None:
    expect_masked(student, rng, masked(rng, whole_slice=True))


@check("Empty arrays", points=0.5, hidden=True)
def empty(student: Student, rng: np.random.Generator) -> None:
    cases = points(rng, [((0, 3), None), ((3, 0), 0), ((2, 0, 3), -1)])
    expect_forward(student, cases)
    expect_backward(student, cases, rng, trials=1)


def quick_lse(x: Numbers) -> Numbers:
    peak = x.real.max(axis=-1, keepdims=True)
    return np.asarray(np.log(np.exp(x - peak).sum(axis=-1)) + peak[..., 0])


@check("The gradients of large arrays, at the cost of a few forward passes", points=3, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    # A forward pass for each of FEW entries takes half of the time that this check has, and more than all of it under load.
    few, many = ({"x": 1.5 * rng.normal(size=(n // 50, 50))} for n in (FEW // 2, MANY))
    expect_cheap_vjp(student, "softmax_vjp", lambda x: np.exp(x - quick_lse(x)[..., None]), many, rng, few=few)
    expect_cheap_vjp(student, "lse_vjp", quick_lse, many, rng, few=few)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        sizes = [
            int(size) for size in rng.choice([0, 1, 2, 3, 5], size=int(rng.integers(1, 5)), p=[0.1, 0.2, 0.3, 0.2, 0.2])
        ]
        axis = int(rng.integers(-len(sizes), len(sizes)))
        options = {"axis": axis}
        if rng.random() < 0.3:
            axis, options = -1, {}
        sizes[axis] = max(sizes[axis], 1)
        shape = tuple(sizes)
        x = rng.choice([0.0, -9e3, 9e3]) + rng.choice([0.0, 1.0, 30.0, 1e4]) * rng.normal(size=shape)
        x = np.where(rng.random(shape) < rng.choice([0.0, 0.3, 0.7, 1.0]), -np.inf, np.clip(x, -1e4, 1e4))
        x = np.where(rng.random(shape) < 0.1, 0.0, x)
        sizes_of_g = (shape, lse_shape(shape, axis))
        whole, reduced = (np.asarray(rng.normal(size=size) * (rng.random(size) < 0.8)) for size in sizes_of_g)
        layout = str(rng.choice(LAYOUTS))
        for name, g in (("softmax", None), ("lse", None), ("softmax_vjp", whole), ("lse_vjp", reduced)):
            values = (x,) if g is None else (g, x)
            student.call_and_see(name, *(array(value, layout=layout) for value in values), **options)


def shifted(x: Any, axis: int) -> tuple[Any, Any]:
    """exp(x - peak) and the peak of each slice, on tensors."""
    peak = x.detach().amax(axis, keepdim=True)
    peak = peak.masked_fill(peak.isneginf(), 0.0)
    return (x - peak).exp(), peak


def softmax_forward(x: Any, axis: int = -1) -> Any:
    e, _ = shifted(x, axis)
    total = e.sum(axis, keepdim=True)
    return e / total.masked_fill(total == 0, 1.0)


def lse_forward(x: Any, axis: int = -1) -> Any:
    """A slice of nothing but -inf has no slope: there the logarithm is one of a constant."""
    e, peak = shifted(x, axis)
    total = e.sum(axis, keepdim=True)
    return (total.masked_fill(total == 0, 1.0).log() + peak).squeeze(axis)


def of_finite_mask(right: Any, given: Any) -> bool:
    """A large negative number, or equal probabilities, where nothing but -inf is in a slice; all else is right."""
    if not isinstance(right, Array) or not isinstance(given, Array) or right.shape != given.shape:
        return False
    truth, answer = to_numpy(right), to_numpy(given)
    empty = np.isneginf(truth) if np.isneginf(truth).any() else (truth == 0) & (answer != 0)
    rest = np.allclose(answer[~empty], truth[~empty])
    numbers = answer[empty]
    large = bool((numbers < -1e3).all() and np.isfinite(numbers).all())
    equal = bool(np.allclose(numbers, numbers[:1]) and np.allclose(np.round(1 / numbers), 1 / numbers))
    return numbers.size > 0 and rest and (large or equal)


forward_of("softmax_vjp", softmax_forward)
forward_of("lse_vjp", lse_forward)
symptom("finite-mask", of_finite_mask, check="masked-slices")
