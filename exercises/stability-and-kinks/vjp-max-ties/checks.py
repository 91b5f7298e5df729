"""The truth numbers the slices and their entries, and looks for the winners of each slice by scattering."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, to_numpy, variety
from autograder.judge.checks.backward_cost import MANY, SECONDS, expect_cheap_vjp
from autograder.judge.checks.vjp import LAYOUTS, Case, expect_vjp
from autograder.judge.diagnosis import forward_of, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]
Axis = int | tuple[int, ...] | None


def reduced_shape(shape: Shape, axis: Axis = None, *, keepdims: bool = False) -> Shape:
    axes = range(len(shape)) if axis is None else [a % len(shape) for a in ((axis,) if isinstance(axis, int) else axis)]
    kept = [1 if n in axes else size for n, size in enumerate(shape)]
    return tuple(size for n, size in enumerate(kept) if keepdims or n not in axes)


def winners(x: Numbers, axis: Axis) -> tuple[Numbers, Numbers]:
    """The number of the slice of each entry, and whether no entry of the slice is larger. Both are flat."""
    kept = reduced_shape(x.shape, axis, keepdims=True)
    number = np.broadcast_to(np.arange(int(np.prod(kept))).reshape(kept), x.shape).reshape(-1)
    largest = np.full(int(np.prod(kept)), -np.inf)
    np.maximum.at(largest, number, x.reshape(-1))
    return number, ~(x.reshape(-1) < largest[number])


def amax_truth(g: Numbers, x: Numbers, *, axis: Axis = None, keepdims: bool = False) -> tuple[Numbers, ...]:
    number, best = winners(x, axis)
    shares = g.reshape(-1) / np.bincount(number[best], minlength=g.size)
    return (np.where(best, shares[number], 0.0).reshape(x.shape),)


def max_first_truth(g: Numbers, x: Numbers, *, axis: int, keepdims: bool = False) -> tuple[Numbers, ...]:
    """Within a slice along one axis, the numbers of the entries increase with the index."""
    number, best = winners(x, axis)
    first = np.full(g.size, x.size)
    np.minimum.at(first, number[best], np.flatnonzero(best))
    dx = np.zeros(x.size)
    dx[first] = g.reshape(-1)
    return (dx.reshape(x.shape),)


def maximum_truth(g: Numbers, x: Numbers, y: Numbers) -> tuple[Numbers, ...]:
    """The maximum of each pair, with the tie shared."""
    (both,) = amax_truth(g, np.stack([x, y]), axis=0)
    return both[0], both[1]


def case(x: Numbers, **options: Any) -> Case:
    return Case({"x": x}, reduced_shape(x.shape, **options), options)


def distinct(rng: np.random.Generator, shape: Shape) -> Numbers:
    """All entries differ; one of them is 0."""
    size = int(np.prod(shape))
    return np.asarray(rng.permutation(size) - size // 2 + rng.uniform(-0.3, 0.3) * (size > 1), dtype=float).reshape(shape)


def with_ties(rng: np.random.Generator, rows: int) -> Numbers:
    """A matrix with five columns. The numbers of tied entries differ from row to row; the losers are tied too."""
    peaks = rng.normal(size=rows)
    x = np.repeat(peaks[:, None] - rng.uniform(1, 2, (rows, 1)), 5, axis=1)
    for row, (peak, count) in enumerate(zip(peaks, rng.permutation([2, 3, 1, 5, 4, 2])[:rows], strict=True)):
        x[row, rng.permutation(5)[:count]] = peak
        x[row, (x[row] < peak) & (rng.random(5) < 0.5)] -= 1
    return x


def few_values(rng: np.random.Generator, shape: Shape) -> Numbers:
    return np.asarray(rng.choice([-1.0, 0.0, -0.0, 2.0], shape))


def near_ties(rng: np.random.Generator) -> Numbers:
    """In each row two entries that are equal, and others below them by less than a tolerance would see."""
    peaks = np.array([1.0, -3.0, 2e5, 1e-8])
    x = np.tile(peaks[:, None], (1, 5))
    x[:, 2] -= np.array([1e-9, 1e-9, 1e-7, 1e-15])
    x[:, 3] = np.nextafter(peaks, -np.inf)
    x[:, 4] -= np.abs(peaks)
    return np.stack([rng.permutation(row) for row in x[rng.permutation(4)]])


def infinite(rng: np.random.Generator) -> Numbers:
    """Rows with one, two and three entries of inf, with an inf of either sign, and with nothing but -inf."""
    inf = np.inf
    rows = [[inf, 1, 2, -inf], [inf, 3, inf, 0], [inf, inf, -1, inf], [-inf, 2, -inf, 2], [-inf] * 4, [-inf, -inf, -5, -inf]]
    return np.array([rng.permutation(row) for row in np.array(rows)[rng.permutation(6)]])


@check("amax along an axis: shared by the tied entries", points=1.5)
def amax_rows(student: Student, rng: np.random.Generator) -> None:
    cases = [case(distinct(rng, (3, 4)), axis=1), case(distinct(rng, (3, 4))), case(with_ties(rng, 3), axis=1)]
    expect_vjp(student, "amax_vjp", amax_truth, cases, rng, trials=2)


@check("max_first along an axis: the first of the tied entries", points=1)
def first_rows(student: Student, rng: np.random.Generator) -> None:
    cases = [case(distinct(rng, (3, 4)), axis=1), case(with_ties(rng, 3), axis=1), case(with_ties(rng, 4).T, axis=0)]
    expect_vjp(student, "max_first_vjp", max_first_truth, cases, rng, trials=2)


@check("maximum of two vectors: half each at a tie", points=1)
def maximum_of_vectors(student: Student, rng: np.random.Generator) -> None:
    x = distinct(rng, (6,))
    y = x + np.array([1.5, 0.0, -2.5, 0.0, 3.0, -1.0])
    expect_vjp(student, "maximum_vjp", maximum_truth, [Case({"x": x, "y": y}, (6,))], rng)


AXES: list[tuple[Shape, Axis]] = [
    ((4, 4), 0),
    ((3, 4), -1),
    ((3, 4), None),
    ((2, 3, 4), 1),
    ((3, 3, 3), 1),
    ((2, 3, 4), (2, 0)),
    ((3, 3, 3), (0, -2)),
    ((3, 3, 3), (2, -2)),
    ((3, 4), (-1, 0)),
    ((2, 3, 4), (1,)),
    ((2, 1, 3), -2),
    ((2, 3, 2, 3), (3, 1)),
]


def along(rng: np.random.Generator, axes: list[tuple[Shape, Axis]]) -> list[Case]:
    """Half of the arrays with ties and half without, in turns with and without keepdims."""
    turn = int(rng.integers(2))
    made = [few_values if (n + turn) % 2 else distinct for n in range(len(axes))]
    cases = [
        case(make(rng, shape), axis=axis, keepdims=n % 4 < 2)
        for n, (make, (shape, axis)) in enumerate(zip(made, axes, strict=True))
    ]
    return [*cases, case(few_values(rng, (3, 4)), axis=0), case(few_values(rng, (3, 4)), axis=1, keepdims=True)]


@check("amax over every kind of axis", points=1.5, hidden=True)
def amax_along_axes(student: Student, rng: np.random.Generator) -> None:
    cases = [*along(rng, AXES), case(few_values(rng, (3, 4))), case(few_values(rng, (2, 3)), keepdims=True)]
    expect_vjp(student, "amax_vjp", amax_truth, cases, rng, trials=1)


@check("amax with ties, near ties and infinities", points=1.5, hidden=True)
def amax_ties(student: Student, rng: np.random.Generator) -> None:
    ties, near = with_ties(rng, 6), near_ties(rng)
    cases = [
        case(ties, axis=1),
        case(ties.T.copy(), axis=0),
        case(np.stack([ties, ties[::-1]]), axis=(0, 2)),
        case(near, axis=1),
    ]
    wide = infinite(rng)
    cases += [case(row) for row in near] + [case(wide, axis=-1), case(wide.T.copy(), axis=0), case(wide)]
    cases += [case(np.full((2, 3), -np.inf)), case(few_values(rng, (4, 6)), axis=1)]
    expect_vjp(student, "amax_vjp", amax_truth, cases, rng, trials=2)


@check("max_first along every axis", points=1, hidden=True)
def first_along_axes(student: Student, rng: np.random.Generator) -> None:
    single = [(shape, axis) for shape, axis in AXES if isinstance(axis, int)]
    more: list[tuple[Shape, Axis]] = [((2, 3, 4), 0), ((2, 3, 4), -1), ((5,), 0), ((3, 3, 3), -3)]
    expect_vjp(student, "max_first_vjp", max_first_truth, along(rng, [*single, *more]), rng, trials=1)


@check("max_first with ties, near ties and infinities", points=1, hidden=True)
def first_ties(student: Student, rng: np.random.Generator) -> None:
    ties, wide = with_ties(rng, 6), infinite(rng)
    cases = [case(ties, axis=1), case(ties.T.copy(), axis=0, keepdims=True), case(near_ties(rng), axis=1)]
    cases += [case(wide, axis=-1), case(wide.T.copy(), axis=0), case(few_values(rng, (2, 5, 3)), axis=1)]
    expect_vjp(student, "max_first_vjp", max_first_truth, cases, rng, trials=2)


@check("maximum with ties, near ties and infinities", points=1, hidden=True)
def maximum_ties(student: Student, rng: np.random.Generator) -> None:
    inf = np.inf
    near, wide = near_ties(rng), np.array([inf, -inf, inf, -inf, inf, 1, -inf, 0.0, -0.0])
    other = np.array([inf, -inf, -inf, inf, 1, inf, 2, -0.0, 0.0])
    order = rng.permutation(9)
    pairs = [
        (few_values(rng, (3, 4)), few_values(rng, (3, 4))),
        (near, near[:, ::-1].copy()),
        (near, near.max(axis=1, keepdims=True) + 0 * near),
        (wide[order], other[order]),
        (distinct(rng, (2, 1, 3)), distinct(rng, (2, 1, 3))),
    ]
    cases = [Case({"x": x, "y": y}, x.shape) for x, y in pairs]
    expect_vjp(student, "maximum_vjp", maximum_truth, cases, rng)


@check("Arrays with a single entry, and empty ones", points=0.5, hidden=True)
def single_and_empty(student: Student, rng: np.random.Generator) -> None:
    alone = [distinct(rng, ()), distinct(rng, (1,)), distinct(rng, (1, 1))]
    expect_vjp(student, "amax_vjp", amax_truth, [*map(case, alone), case(alone[2], axis=(1, 0))], rng, trials=1)
    expect_vjp(student, "max_first_vjp", max_first_truth, [case(x, axis=0) for x in alone[1:]], rng, trials=1)
    pairs = [(x, x) for x in alone] + [
        (np.asarray(rng.normal()), np.asarray(rng.normal())),
        (np.zeros((0, 3)), np.zeros((0, 3))),
    ]
    expect_vjp(student, "maximum_vjp", maximum_truth, [Case({"x": x, "y": y}, x.shape) for x, y in pairs], rng, trials=1)
    empty = [case(np.zeros((0, 3)), axis=1), case(np.zeros((2, 0, 3)), axis=-1, keepdims=True)]
    expect_vjp(student, "amax_vjp", amax_truth, [*empty, case(np.zeros((0, 3, 2)), axis=(2, 1))], rng, trials=1)
    expect_vjp(student, "max_first_vjp", max_first_truth, empty, rng, trials=1)


@check("The gradient of a large array, at the cost of a few forward passes", points=2, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    many = {"x": distinct(rng, (2 * MANY,))}
    expect_cheap_vjp(student, "amax_vjp", lambda x: x[x.real.argmax()], many, rng)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(4):
        shape = tuple(
            int(size) for size in rng.choice([0, 1, 2, 3, 5], size=int(rng.integers(1, 4)), p=[0.1, 0.2, 0.2, 0.3, 0.2])
        )
        order = [int(a) for a in rng.permutation(len(shape))][: int(rng.integers(1, 4))]
        chosen = tuple(a - len(shape) if rng.random() < 0.4 else a for a in order)
        axis: Axis = None if rng.random() < 0.2 else chosen[0] if rng.random() < 0.4 else chosen
        if 0 in [shape[a] for a in (range(len(shape)) if axis is None else np.atleast_1d(axis))]:
            axis, chosen, shape = None, (-1,), ()
        x, y = few_values(rng, shape), few_values(rng, shape)
        if rng.random() < 0.5:
            x = np.where(rng.random(shape) < 0.4, rng.choice([np.inf, -np.inf, 1e-9, 2 - 1e-9], shape), x)
            y = np.where(rng.random(shape) < 0.4, rng.choice([np.inf, -np.inf, 1e-9, 2 - 1e-9], shape), y)
        keepdims = {"keepdims": bool(rng.integers(2))} if rng.random() < 0.7 else {}
        layout = str(rng.choice(LAYOUTS))
        asked: list[tuple[str, tuple[Numbers, ...], dict[str, Any]]] = [
            ("amax_vjp", (x,), {"axis": axis} | keepdims),
            ("maximum_vjp", (x, y), {}),
        ]
        if shape and shape[chosen[0]]:
            asked.append(("max_first_vjp", (x,), {"axis": chosen[0]} | keepdims))
        for name, inputs, options in asked:
            g = np.asarray(rng.normal(size=reduced_shape(shape, **options) if options else shape))
            g = np.asarray(g * (rng.random(g.shape) < 0.8))
            student.call_and_see(name, *(array(values, layout=layout) for values in (g, *inputs)), **options)


def torch_axes(x: Any, axis: Axis) -> Any:
    return tuple(range(x.dim())) if axis is None else axis


def amax_forward(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return x.amax(torch_axes(x, axis), keepdim=keepdims)


def max_first_forward(x: Any, axis: int, keepdims: bool = False) -> Any:
    tied = x.detach() == x.detach().amax(axis, keepdim=True)
    first = (tied & (tied.cumsum(axis) == 1)).long().argmax(axis, keepdim=True)
    best = x.gather(axis, first)
    return best if keepdims else best.squeeze(axis)


def of_infinities(right: Any, given: Any) -> bool:
    """Wrong in slices, or pairs, in which the best entry is infinite, and right in all others: here, in other rows."""
    if not isinstance(right, tuple) or not isinstance(given, tuple) or len(right) != len(given):
        return False
    if not all(isinstance(part, Array) for part in given) or any(
        a.shape != b.shape for a, b in zip(right, given, strict=True)
    ):
        return False
    truths, answers = [to_numpy(part) for part in right], [to_numpy(part) for part in given]
    return any(bool(np.isnan(answer).any()) for answer in answers) and all(
        np.allclose(answer[~np.isnan(answer)], truth[~np.isnan(answer)])
        for truth, answer in zip(truths, answers, strict=True)
    )


forward_of("amax_vjp", amax_forward)
forward_of("max_first_vjp", max_first_forward)
forward_of("maximum_vjp", lambda x, y: x.maximum(y))
for where in ("amax-ties", "first-ties", "maximum-ties"):
    symptom("infinite-difference", of_infinities, check=where)
