"""The truth is a complex step of the forward function: no derivative is written down here.

Matrices that are not well-conditioned, or not symmetric and positive definite for the Cholesky factor, have no truth.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, to_numpy, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.vjp import LAYOUTS, Case, Reference, expect_vjp
from autograder.judge.diagnosis import forward_of, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]
Forward = Callable[..., Numbers]
Make = Callable[[np.random.Generator, int], Numbers]

STEP = 1e-30
WORST_CONDITION = 40.0


# -- the truth -------------------------------------------------------------------------------------------------------------


def unit_steps(values: Numbers) -> Numbers:
    """An array for each entry, along a new first axis: 1 at this entry and 0 elsewhere."""
    return np.eye(values.size).reshape(values.size, *values.shape)


def pulled_back(
    forward: Forward, g: Numbers, inputs: tuple[Numbers, ...], place: int, steps: Numbers | None = None
) -> Numbers:
    """For each step that the input in this place takes, the change of the result, weighted with the upstream gradient."""
    values = inputs[place]
    steps = unit_steps(values) if steps is None else steps
    missing = (1,) * (max(one.ndim for one in inputs) - values.ndim)
    moved = [*map(np.asarray, inputs)]
    moved[place] = (values + STEP * 1j * steps).reshape(len(steps), *missing, *values.shape)
    change = np.imag(forward(*moved)) / STEP
    return np.asarray((change * g).sum(axis=tuple(range(1, change.ndim))).reshape(values.shape))


def require_well_conditioned(a: Numbers) -> None:
    if a.size and (np.linalg.cond(a) > 1000).any():
        raise ValueError("a matrix that is badly conditioned")


def inv_truth(g: Numbers, a: Numbers) -> tuple[Numbers, ...]:
    require_well_conditioned(a)
    return (pulled_back(np.linalg.inv, g, (a,), 0),)


def phase_of_determinant(a: Numbers) -> Numbers:
    """Its imaginary part is that of the logarithm of the determinant, if the step is small."""
    sign, _ = np.linalg.slogdet(a)
    return np.asarray(sign / np.sign(sign.real))


def logabsdet_truth(g: Numbers, a: Numbers) -> tuple[Numbers, ...]:
    """The step is taken for matrices of size 1: a factor only adds a constant to the logarithm."""
    require_well_conditioned(a)
    size = np.abs(a).max(initial=0.0) or 1.0
    return (pulled_back(phase_of_determinant, g, (a / size,), 0) / size,)


def factor_of(a: Numbers) -> Numbers:
    """The Cholesky factor of real or complex matrices, without a complex conjugate."""
    c = np.zeros(a.shape, a.dtype)
    for j in range(a.shape[-1]):
        rest = a[..., j:, j] - (c[..., j:, :j] @ c[..., j, :j, None])[..., 0]
        c[..., j:, j] = rest / np.sqrt(rest[..., :1])
    return c


def cholesky_truth(g: Numbers, a: Numbers) -> tuple[Numbers, ...]:
    """An entry and its mirror image take half a step each, so that the matrix remains symmetric."""
    require_well_conditioned(a)
    if not (a == np.swapaxes(a, -1, -2)).all() or (a.size and np.linalg.eigvalsh(a).min() <= 0):
        raise ValueError("a matrix that is not symmetric and positive definite")
    steps = unit_steps(a)
    return (pulled_back(factor_of, g, (a,), 0, (steps + np.swapaxes(steps, -1, -2)) / 2),)


def solve_truth(g: Numbers, a: Numbers, b: Numbers) -> tuple[Numbers, ...]:
    require_well_conditioned(a)
    if min(a.ndim, b.ndim) < 2:
        raise ValueError("a vector")
    return pulled_back(np.linalg.solve, g, (a, b), 0), pulled_back(np.linalg.solve, g, (a, b), 1)


TRUTHS: dict[str, Reference] = {
    "inv_vjp": inv_truth,
    "logabsdet_vjp": logabsdet_truth,
    "cholesky_vjp": cholesky_truth,
    "solve_vjp": solve_truth,
}


# -- the questions ---------------------------------------------------------------------------------------------------------


def well_conditioned(make: Make) -> Make:
    def drawn(rng: np.random.Generator, n: int) -> Numbers:
        while True:
            a = make(rng, n)
            if np.linalg.cond(a) < WORST_CONDITION:
                return a

    return drawn


@well_conditioned
def matrix(rng: np.random.Generator, n: int) -> Numbers:
    """With a 0 where there is room."""
    a = rng.normal(size=(n, n))
    if n > 2:
        a[int(rng.integers(n)), int(rng.integers(n))] = rng.choice([0.0, -0.0])
    return np.asarray(a)


@well_conditioned
def positive(rng: np.random.Generator, n: int) -> Numbers:
    """Symmetric and positive definite."""
    factor = np.tril(rng.normal(size=(n, n)), -1) + np.diag(rng.uniform(0.6, 1.7, size=n))
    product = factor @ factor.T
    return np.asarray((product + product.T) / 2)


@well_conditioned
def sparse(rng: np.random.Generator, n: int) -> Numbers:
    """A diagonal, triangular or permuted matrix."""
    diagonal = np.diag(rng.uniform(0.5, 1.9, size=n) * rng.choice([-1.0, 1.0], size=n))
    triangle = np.tril(rng.normal(size=(n, n)), -1)
    return [diagonal, diagonal + triangle, diagonal + triangle.T, diagonal[rng.permutation(n)]][int(rng.integers(4))]


def positive_sparse(rng: np.random.Generator, n: int) -> Numbers:
    """A symmetric matrix that is diagonal or consists of two blocks, in some order of rows."""
    a = np.diag(rng.uniform(0.5, 1.9, size=n))
    half = n // 2 if rng.random() < 0.7 else 0
    a[:half, :half] = positive(rng, half) if half else 0.0
    order = rng.permutation(n) if rng.random() < 0.5 else np.arange(n)
    return np.asarray(a[order][:, order])


def batch(rng: np.random.Generator, make: Make, shape: Shape, n: int) -> Numbers:
    a = np.zeros((*shape, n, n))
    for place in np.ndindex(*shape):
        a[place] = make(rng, n)
    return a


def expect_of_one(
    student: Student,
    rng: np.random.Generator,
    name: str,
    asked: list[tuple[Shape, int]],
    trials: int = 3,
    make: Make | None = None,
) -> None:
    """The gradient of a function of one batch of matrices, for batches of these shapes."""
    make = make or (positive if name == "cholesky_vjp" else matrix)
    inputs = [batch(rng, make, shape, n) for shape, n in asked]
    cases = [Case({"a": a}, a.shape[:-2] if name == "logabsdet_vjp" else a.shape) for a in inputs]
    expect_vjp(student, name, TRUTHS[name], cases, rng, trials=trials)


def equations(rng: np.random.Generator, shape: Shape, n: int, right: Shape, make: Make = matrix, scale: float = 1.0) -> Case:
    """A batch of matrices, and right-hand sides whose batch axes and number of columns are `right`."""
    *axes, columns = right
    b = np.asarray(rng.normal(size=(*axes, n, columns)))
    if b.size > 2:
        b.flat[int(rng.integers(b.size))] = rng.choice([0.0, -0.0])
    a = batch(rng, make, shape, n)
    return Case({"a": a, "b": scale * b}, (*np.broadcast_shapes(shape, tuple(axes)), n, columns))


def expect_solve(student: Student, rng: np.random.Generator, cases: list[Case], trials: int = 3) -> None:
    expect_vjp(student, "solve_vjp", solve_truth, cases, rng, trials=trials)


@check("The inverse of a matrix, and of each matrix of a batch", points=1)
def inverse(student: Student, rng: np.random.Generator) -> None:
    expect_of_one(student, rng, "inv_vjp", [((), 3), ((2,), 4)])


@check("The log-determinant of a matrix, and of each matrix of a batch", points=1)
def log_determinant(student: Student, rng: np.random.Generator) -> None:
    expect_of_one(student, rng, "logabsdet_vjp", [((), 3), ((4,), 3), ((2,), 4)])


@check("The Cholesky factor of a matrix, and of each matrix of a batch", points=1.5)
def cholesky(student: Student, rng: np.random.Generator) -> None:
    expect_of_one(student, rng, "cholesky_vjp", [((), 3), ((2,), 4)])


@check("The solution of one system, and of a batch of systems", points=1)
def solution(student: Student, rng: np.random.Generator) -> None:
    expect_solve(student, rng, [equations(rng, (), 3, (2,)), equations(rng, (2,), 4, (2, 3))])


BATCHES: list[tuple[Shape, int]] = [
    ((), 4),
    ((3,), 3),
    ((2, 3), 2),
    ((3, 2, 2), 2),
    ((1, 2), 3),
    ((), 6),
    ((2, 2), 2),
    ((4,), 4),
]


@check("The inverse, for any number of batch axes", points=1, hidden=True)
def inverse_of_batches(student: Student, rng: np.random.Generator) -> None:
    expect_of_one(student, rng, "inv_vjp", BATCHES)


def of_sign(sign: float) -> Make:
    """Matrices whose determinant has this sign."""

    def make(rng: np.random.Generator, n: int) -> Numbers:
        a = matrix(rng, n)
        if np.sign(np.linalg.det(a)) != sign:
            a[int(rng.integers(n))] *= -1
        return a

    return make


@check("The log-determinant, for any number of batch axes and either sign", points=1, hidden=True)
def log_determinant_of_batches(student: Student, rng: np.random.Generator) -> None:
    for sign in (1.0, -1.0):
        expect_of_one(student, rng, "logabsdet_vjp", [((), 3), ((3,), 4)], make=of_sign(sign))
    expect_of_one(student, rng, "logabsdet_vjp", BATCHES)


@check("The log-determinant, where the determinant is not a float64", points=0.5, hidden=True)
def extreme_determinants(student: Student, rng: np.random.Generator) -> None:
    for size in (1e-40, 1e40):
        a = size * batch(rng, matrix, (2,), 10)
        expect_vjp(student, "logabsdet_vjp", logabsdet_truth, [Case({"a": a[0]}, ()), Case({"a": a}, (2,))], rng, trials=2)


@check("The Cholesky factor, for any number of batch axes", points=1.5, hidden=True)
def cholesky_of_batches(student: Student, rng: np.random.Generator) -> None:
    expect_of_one(student, rng, "cholesky_vjp", BATCHES)


@check("The solution, with equal batch axes", points=1, hidden=True)
def solution_of_batches(student: Student, rng: np.random.Generator) -> None:
    asked: list[tuple[Shape, int, Shape]] = [
        ((), 4, (4,)),
        ((), 3, (1,)),
        ((3,), 3, (3, 3)),
        ((2, 3), 2, (2, 3, 4)),
        ((2, 2), 2, (2, 2, 2)),
        ((1,), 3, (1, 2)),
    ]
    expect_solve(student, rng, [equations(rng, *shapes) for shapes in asked])


@check("The solution, with batch axes that broadcast", points=1, hidden=True)
def solution_of_broadcast_batches(student: Student, rng: np.random.Generator) -> None:
    asked: list[tuple[Shape, int, Shape]] = [
        ((), 3, (4, 2)),
        ((4,), 3, (2,)),
        ((1,), 2, (3, 2)),
        ((3,), 2, (1, 2)),
        ((2, 1), 2, (3, 2)),
        ((3,), 2, (2, 1, 1)),
        ((2, 3), 2, (3, 2)),
        ((), 2, (2, 2, 2)),
        ((1, 3), 2, (2, 1, 3)),
    ]
    expect_solve(student, rng, [equations(rng, *shapes) for shapes in asked], trials=2)


@check("Diagonal, triangular and permuted matrices", points=1, hidden=True)
def sparse_matrices(student: Student, rng: np.random.Generator) -> None:
    for _ in range(3):
        expect_of_one(student, rng, "inv_vjp", [((3,), 3), ((), 4)], make=sparse, trials=2)
        expect_of_one(student, rng, "logabsdet_vjp", [((3,), 3), ((), 4)], make=sparse, trials=2)
        expect_of_one(student, rng, "cholesky_vjp", [((3,), 3), ((), 4)], make=positive_sparse, trials=2)
        expect_solve(student, rng, [equations(rng, (3,), 3, (3, 2), sparse)], trials=2)


@check("Matrices with a single entry, and empty batches", points=1, hidden=True)
def single_and_empty(student: Student, rng: np.random.Generator) -> None:
    for name in ("inv_vjp", "logabsdet_vjp", "cholesky_vjp"):
        expect_of_one(student, rng, name, [((), 1), ((3,), 1), ((1, 1), 1)], trials=2)
        expect_of_one(student, rng, name, [((0,), 3), ((2, 0), 2), ((0,), 1)], trials=1)
    expect_solve(student, rng, [equations(rng, (), 1, (1,)), equations(rng, (3,), 1, (3, 2))], trials=2)
    empty: list[tuple[Shape, int, Shape]] = [((0,), 2, (0, 3)), ((2,), 3, (2, 0)), ((), 2, (0, 2)), ((0,), 2, (2,))]
    expect_solve(student, rng, [equations(rng, *shapes) for shapes in empty], trials=1)


@check("The gradients of many matrices, at the cost of a few forward passes", points=3.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def systems(entries: int) -> Inputs:
        shape = (entries // 50, 5, 5)
        return {"a": np.eye(5) + 0.1 * rng.normal(size=shape), "b": rng.normal(size=shape)}

    few, many = systems(FEW), systems(MANY)
    expect_cheap_vjp(student, "inv_vjp", np.linalg.inv, {"a": many["a"]}, rng, few={"a": few["a"]})
    expect_cheap_vjp(student, "solve_vjp", np.linalg.solve, many, rng, few=few)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    def size_of_axis() -> int:
        return int(rng.choice(4, p=[0.1, 0.3, 0.3, 0.3]))

    def upstream(shape: Shape) -> Numbers:
        return np.asarray(rng.normal(size=shape) * (rng.random(shape) < rng.choice([0.0, 0.7, 1.0], p=[0.1, 0.4, 0.5])))

    for _ in range(3):
        shape, n = tuple(size_of_axis() for _ in range(int(rng.integers(3)))), int(rng.integers(1, 5))
        layout = str(rng.choice(LAYOUTS))
        make, make_positive = (matrix, positive) if rng.random() < 0.5 else (sparse, positive_sparse)
        general, symmetric = batch(rng, make, shape, n), batch(rng, make_positive, shape, n)
        scaled = general * rng.choice([1.0, 1.0, 1e-3, 1e3])
        for name, a in (("inv_vjp", general), ("logabsdet_vjp", scaled), ("cholesky_vjp", symmetric)):
            g = upstream(shape if name == "logabsdet_vjp" else a.shape)
            student.call_and_see(name, array(g, layout=layout), array(a, layout=layout))
        kept = shape[int(rng.integers(len(shape) + 1)) :]
        one, two = (tuple(1 if rng.random() < 0.3 else size for size in axes) for axes in (shape, kept))
        if rng.random() < 0.5:
            one, two = two, one
        asked = equations(rng, one, n, (*two, size_of_axis()), make, float(rng.choice([0.0, 1.0, 1.0])))
        sent = [upstream(asked.output_shape), *asked.inputs.values()]
        student.call_and_see("solve_vjp", *(array(values, layout=layout) for values in sent))


# -- explanations ----------------------------------------------------------------------------------------------------------


def cholesky_forward(a: Any) -> Any:
    import torch

    return torch.linalg.cholesky((a + a.transpose(-1, -2)) / 2)


def solve_forward(a: Any, b: Any) -> Any:
    import torch

    return torch.linalg.solve(a, b)


def single_matrix_right(right: Any, given: Any) -> bool:
    """A single matrix, which is asked first, was right."""
    return isinstance(right, tuple) and isinstance(right[0], Array) and len(right[0].shape) > 2


def has_symmetric_part(right: Any, given: Any) -> bool:
    """The symmetric part is right, and the rest is not 0."""
    truth, answer = to_numpy(right[0]), to_numpy(given[0])
    return bool(np.allclose(answer + np.swapaxes(answer, -1, -2), 2 * truth, rtol=1e-7, atol=1e-10))


def is_of_one_triangle(right: Any, given: Any) -> bool:
    """The other triangle is 0, and the entries of this one receive both contributions."""
    truth, answer = to_numpy(right[0]), to_numpy(given[0])
    lower = np.tril(truth) + np.tril(truth, -1)
    return any(bool(np.allclose(answer, one, rtol=1e-7, atol=1e-10)) for one in (lower, np.swapaxes(lower, -1, -2)))


forward_of("inv_vjp", lambda a: a.inverse())
forward_of("logabsdet_vjp", lambda a: a.slogdet()[1])
forward_of("cholesky_vjp", cholesky_forward)
forward_of("solve_vjp", solve_forward)
for where in ("cholesky", "cholesky-of-batches"):
    symptom("one-triangle-only", is_of_one_triangle, check=where)
    symptom("not-symmetrised", has_symmetric_part, check=where)
for where in ("inverse-of-batches", "log-determinant-of-batches", "cholesky-of-batches", "solution-of-batches"):
    symptom("only-2d", single_matrix_right, check=where, raised=True)
