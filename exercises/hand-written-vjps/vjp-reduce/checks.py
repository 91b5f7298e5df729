"""The truth numbers the slices and looks up the upstream of each entry's slice; the variance is one of pairwise differences."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, to_numpy, variety
from autograder.judge.checks.backward_cost import MANY, SECONDS, expect_cheap_vjp
from autograder.judge.checks.vjp import LAYOUTS, Case, Reference, expect_vjp
from autograder.judge.diagnosis import forward_of, raises, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]
Axis = int | tuple[int, ...] | None
Asked = tuple[Shape, dict[str, Any]]


def reduced_shape(shape: Shape, axis: Axis = None, *, keepdims: bool = False) -> Shape:
    axes = range(len(shape)) if axis is None else [a % len(shape) for a in ((axis,) if isinstance(axis, int) else axis)]
    kept = [1 if n in axes else size for n, size in enumerate(shape)]
    return tuple(size for n, size in enumerate(kept) if keepdims or n not in axes)


def slices(x: Numbers, axis: Axis) -> tuple[Numbers, Numbers]:
    """The number of the slice of each entry, in the shape of x, and the size of the slice of each entry."""
    kept = reduced_shape(x.shape, axis, keepdims=True)
    count = int(np.prod(kept))
    number = np.broadcast_to(np.arange(count).reshape(kept), x.shape)
    return number, np.bincount(number.reshape(-1), minlength=count)[number]


def totals(values: Numbers, number: Numbers) -> Numbers:
    """For each entry, the sum of the values of its slice."""
    return np.asarray(np.bincount(number.reshape(-1), values.reshape(-1)))[number]


def sum_truth(g: Numbers, x: Numbers, *, axis: Axis = None, keepdims: bool = False) -> tuple[Numbers, ...]:
    number, _ = slices(x, axis)
    return (g.reshape(-1)[number],)


def mean_truth(g: Numbers, x: Numbers, *, axis: Axis = None, keepdims: bool = False) -> tuple[Numbers, ...]:
    number, size = slices(x, axis)
    return (g.reshape(-1)[number] / size,)


def var_truth(g: Numbers, x: Numbers, *, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> tuple[Numbers, ...]:
    """The variance is the sum of (x_i - x_j)^2 over all pairs, divided by N (N - ddof): the mean does not occur."""
    number, size = slices(x, axis)
    differences = size * x - totals(x, number)
    return (g.reshape(-1)[number] * 2 * differences / (size * (size - ddof)),)


def norm_truth(g: Numbers, x: Numbers, *, axis: Axis = None, keepdims: bool = False) -> tuple[Numbers, ...]:
    """The direction of a slice, which is the same for every multiple of the slice."""
    number, _ = slices(x, axis)
    largest = np.zeros(int(number.max()) + 1)
    np.maximum.at(largest, number.reshape(-1), np.abs(x).reshape(-1))
    scaled = x / np.where(largest == 0, 1.0, largest)[number]
    length = np.sqrt(totals(scaled * scaled, number))
    return (g.reshape(-1)[number] * np.where(length == 0, 0.0, scaled / np.where(length == 0, 1.0, length)),)


TRUTHS: dict[str, Reference] = {
    "sum_vjp": sum_truth,
    "mean_vjp": mean_truth,
    "var_vjp": var_truth,
    "norm_vjp": norm_truth,
}


def numbers(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Of size one and of both signs. Where there is room for more, one of them is 0."""
    values = np.asarray(rng.uniform(0.4, 1.9, shape) * rng.choice([-1.0, 1.0], shape))
    if values.size > 4:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def case(x: Numbers, **options: Any) -> Case:
    shape = reduced_shape(x.shape, **{name: value for name, value in options.items() if name != "ddof"})
    return Case({"x": x}, shape, options)


def expect_reduction(
    student: Student, rng: np.random.Generator, name: str, asked: list[Asked], trials: int = 1, **options: Any
) -> None:
    cases = [case(numbers(rng, shape), **own, **options) for shape, own in asked]
    expect_vjp(student, name, TRUTHS[name], cases, rng, trials=trials)


ALONG: list[Asked] = [((3, 4), {"axis": 1}), ((3, 4), {"axis": 0}), ((3, 3), {"axis": 1})]


@check("Sum and mean of a matrix", points=1.5)
def sum_and_mean(student: Student, rng: np.random.Generator) -> None:
    asked: list[Asked] = [((3, 4), {}), *ALONG]
    expect_reduction(student, rng, "sum_vjp", asked, trials=2)
    expect_reduction(student, rng, "mean_vjp", asked, trials=2)


@check("Variance of a matrix", points=1.5)
def variance(student: Student, rng: np.random.Generator) -> None:
    expect_reduction(student, rng, "var_vjp", [((3, 4), {}), *ALONG, ((3, 4), {"axis": 1, "ddof": 1})], trials=2)


@check("Norm of a matrix", points=1.5)
def norm(student: Student, rng: np.random.Generator) -> None:
    expect_reduction(student, rng, "norm_vjp", [((3, 4), {}), *ALONG], trials=2)


def everywhere(rng: np.random.Generator) -> list[Asked]:
    """Each kind of axis, each of them with and without keepdims for some of the shapes."""
    axes: list[tuple[Shape, Axis]] = [
        ((3, 4), None),
        ((3, 4), -1),
        ((4, 4), 0),
        ((4, 4), -1),
        ((3, 4), (-1, 0)),
        ((2, 3, 4), 1),
        ((3, 3, 3), 1),
        ((2, 3, 4), (2, 0)),
        ((2, 3, 4), (-1, 1)),
        ((3, 3, 3), (0, -2)),
        ((3, 3, 3), (2, -2)),
        ((2, 3, 4), (1,)),
        ((2, 3, 2, 3), (3, 1)),
        ((3, 1, 2), (1, 2)),
    ]
    first = bool(rng.integers(2))
    flags = [{"keepdims": (n % 2 == 0) == first} for n in range(len(axes))]
    asked: list[Asked] = [(shape, {"axis": axis} | flag) for (shape, axis), flag in zip(axes, flags, strict=True)]
    both: list[Asked] = [((3, 4), {"axis": 1, "keepdims": True}), ((2, 3, 4), {"axis": (2, 0), "keepdims": False})]
    one: list[Asked] = [((3, 4), {"keepdims": True}), ((2, 1, 3), {"axis": -2}), ((5,), {"axis": 0})]
    return [*asked, *both, *one]


def expect_everywhere(student: Student, rng: np.random.Generator, name: str) -> None:
    expect_reduction(student, rng, name, [((4, 5), {"axis": 0}), ((4, 5), {"axis": 1})], trials=2)  # 0 in the upstream
    expect_reduction(student, rng, name, everywhere(rng))


@check("Sum over every kind of axis", points=1, hidden=True)
def sum_along_axes(student: Student, rng: np.random.Generator) -> None:
    expect_everywhere(student, rng, "sum_vjp")


@check("Mean over every kind of axis", points=1, hidden=True)
def mean_along_axes(student: Student, rng: np.random.Generator) -> None:
    expect_everywhere(student, rng, "mean_vjp")


@check("Variance over every kind of axis", points=1.5, hidden=True)
def var_along_axes(student: Student, rng: np.random.Generator) -> None:
    expect_everywhere(student, rng, "var_vjp")


@check("Variance with a correction of the count", points=1, hidden=True)
def corrected(student: Student, rng: np.random.Generator) -> None:
    expect_reduction(student, rng, "var_vjp", [((3, 4), {"axis": 1}), ((4, 3), {"axis": 0}), ((5,), {})], ddof=1)
    expect_reduction(student, rng, "var_vjp", [((2, 3, 4), {"axis": (2, 0), "keepdims": True}), ((3, 4), {})], ddof=2)
    equal = np.full((2, 3), float(rng.uniform(1, 2)))  # no variance at all, in the second row
    equal[0] = numbers(rng, (3,))
    expect_vjp(student, "var_vjp", var_truth, [case(equal, axis=1, ddof=1)], rng)


@check("Norm over every kind of axis", points=1.5, hidden=True)
def norm_along_axes(student: Student, rng: np.random.Generator) -> None:
    expect_everywhere(student, rng, "norm_vjp")


@check("Norm of slices of zeros, and of very small or large slices", points=1, hidden=True)
def norm_of_zeros(student: Student, rng: np.random.Generator) -> None:
    x = numbers(rng, (4, 3)) * rng.permutation([1.0, 1e-9, 1e9, 1e-5])[:, None]
    holed = numbers(rng, (4, 3))
    holed[rng.permutation(4)[:2]] = rng.choice([0.0, -0.0], size=(2, 3))
    blocks = np.stack([numbers(rng, (3, 2)), np.zeros((3, 2))])
    cases = [
        case(x, axis=1),
        case(holed, axis=-1, keepdims=True),
        case(np.ascontiguousarray(holed.T), axis=0),
        case(blocks, axis=(2, 1)),
        case(np.zeros((2, 3))),
        case(1e-9 * numbers(rng, (2, 2))),
    ]
    expect_vjp(student, "norm_vjp", norm_truth, cases, rng, trials=2)


@check("Arrays with a single entry, and empty ones", points=0.5, hidden=True)
def single_and_empty(student: Student, rng: np.random.Generator) -> None:
    single: list[Asked] = [((), {}), ((), {"keepdims": True}), ((1,), {"axis": 0}), ((1, 1), {"axis": (0, 1)})]
    for name in TRUTHS:
        expect_reduction(student, rng, name, single)
    empty: list[Asked] = [((0, 3), {"axis": 0}), ((0, 3), {"axis": 1}), ((0, 3), {}), ((2, 0), {"axis": (1, 0)})]
    for name in ("sum_vjp", "mean_vjp"):
        expect_reduction(student, rng, name, [*empty, ((0, 3), {"axis": 0, "keepdims": True})])


@check("The gradient of a large array, at the cost of a few forward passes", points=3, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    many = {"x": numbers(rng, (2 * MANY,))}
    expect_cheap_vjp(student, "norm_vjp", lambda x: np.sqrt((x * x).sum()), many, rng)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(4):
        shape = tuple(
            int(size) for size in rng.choice([0, 1, 2, 3, 4], size=int(rng.integers(4)), p=[0.1, 0.2, 0.3, 0.2, 0.2])
        )
        order = [int(a) for a in rng.permutation(len(shape))][: int(rng.integers(1, 4))]
        chosen = tuple(a - len(shape) if rng.random() < 0.4 else a for a in order)
        axis: Axis = None if not chosen or rng.random() < 0.2 else chosen[0] if rng.random() < 0.4 else chosen
        options: dict[str, Any] = {"axis": axis, "keepdims": bool(rng.integers(2))}
        options = {name: value for name, value in options.items() if rng.random() < 0.8 or value is not None}
        layout = str(rng.choice(LAYOUTS))
        x = numbers(rng, shape) * (rng.random(shape) < rng.choice([0.0, 0.5, 1.0])) * rng.choice([1e-9, 1.0, 1e5])
        g = np.asarray(rng.normal(size=reduced_shape(shape, **options)))
        g = np.asarray(g * (rng.random(g.shape) < 0.8))
        for name in TRUTHS:
            if x.size or name in ("sum_vjp", "mean_vjp"):
                fewest = x.size // max(g.size, 1)
                corrected = {"ddof": int(rng.integers(fewest))} if name == "var_vjp" and rng.random() < 0.6 else {}
                student.call_and_see(name, array(g, layout=layout), array(x, layout=layout), **options, **corrected)


def torch_axes(x: Any, axis: Axis) -> Any:
    return tuple(range(x.dim())) if axis is None else axis


def sum_forward(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return x.sum(torch_axes(x, axis), keepdim=keepdims)


def mean_forward(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return x.mean(torch_axes(x, axis), keepdim=keepdims)


def var_forward(x: Any, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Any:
    axes = torch_axes(x, axis)
    centred = x - x.mean(axes, keepdim=True)
    total = (centred * centred).sum(axes, keepdim=keepdims)
    return total / (x.numel() / total.numel() - ddof)


def norm_forward(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    total = (x * x).sum(torch_axes(x, axis), keepdim=keepdims)
    return total.masked_fill(total == 0, 1.0).sqrt().masked_fill(total == 0, 0.0)


def nan_at_zero(right: Any, given: Any) -> bool:
    """nan where the right answer is 0; all other entries are right."""
    if not isinstance(right, tuple) or not isinstance(given, tuple) or len(given) != 1 or not isinstance(given[0], Array):
        return False
    truth, answer = to_numpy(right[0]), to_numpy(given[0])
    lost = np.isnan(answer) if truth.shape == answer.shape else np.zeros(0, bool)
    return bool(lost.any() and (truth[lost] == 0).all() and np.allclose(answer[~lost], truth[~lost]))


forward_of("sum_vjp", sum_forward)
forward_of("mean_vjp", mean_forward)
forward_of("var_vjp", var_forward)
forward_of("norm_vjp", norm_forward)
symptom("norm-at-zero-nan", nan_at_zero, check="norm-of-zeros")
for where in ("sum-along-axes", "mean-along-axes", "var-along-axes", "norm-along-axes"):
    symptom("single-axis-only", raises("'tuple'", "must be integers", type_name="TypeError"), check=where, raised=True)
