"""The truth, product by product: each a * b that went into an entry of the result sends back its share of the upstream."""

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.vjp import LAYOUTS, Case, expect_vjp
from autograder.judge.diagnosis import forward_of, raises, symptom

Shape = tuple[int, ...]
Pair = tuple[Shape, Shape]


def truth(g: Numbers, a: Numbers, b: Numbers) -> tuple[Numbers, ...]:
    """Axes of the table of all products: batch, row, inner, column. No transposition, no matrix product."""
    number_a, number_b = (np.arange(factor.size).reshape(factor.shape) for factor in (a, b))
    number_a = (number_a[None, :] if a.ndim == 1 else number_a)[..., :, :, None]
    number_b = (number_b[:, None] if b.ndim == 1 else number_b)[..., None, :, :]
    table: Shape = np.broadcast_shapes(number_a.shape, number_b.shape)
    number_a, number_b = np.broadcast_to(number_a, table), np.broadcast_to(number_b, table)
    upstream = np.broadcast_to(g.reshape((*table[:-2], 1, table[-1])), table)
    da, db = np.zeros(a.size), np.zeros(b.size)
    np.add.at(da, number_a.reshape(-1), (upstream * b.reshape(-1)[number_b]).reshape(-1))
    np.add.at(db, number_b.reshape(-1), (upstream * a.reshape(-1)[number_a]).reshape(-1))
    return da.reshape(a.shape), db.reshape(b.shape)


def numbers(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def expect_matmul(student: Student, rng: np.random.Generator, pairs: list[Pair], trials: int = 3) -> None:
    cases = [
        Case({"a": numbers(rng, one), "b": numbers(rng, two)}, np.matmul(np.zeros(one), np.zeros(two)).shape)
        for one, two in pairs
    ]
    expect_vjp(student, "matmul_vjp", truth, cases, rng, trials=trials)


@check("Two matrices", points=1.5)
def two_matrices(student: Student, rng: np.random.Generator) -> None:
    expect_matmul(student, rng, [((3, 4), (4, 2))])


@check("A batch of matrices as one factor or both", points=1.5)
def a_batch(student: Student, rng: np.random.Generator) -> None:
    expect_matmul(student, rng, [((5, 3, 4), (5, 4, 2)), ((5, 3, 4), (4, 2))])


@check("A matrix times a vector", points=1)
def matrix_times_vector(student: Student, rng: np.random.Generator) -> None:
    expect_matmul(student, rng, [((3, 4), (4,))])


@check("Matrices of many shapes, including square ones", points=1, hidden=True)
def shapes_of_matrices(student: Student, rng: np.random.Generator) -> None:
    expect_matmul(student, rng, [((3, 3), (3, 3)), ((2, 5), (5, 4)), ((1, 4), (4, 1)), ((3, 1), (1, 2)), ((4, 4), (4, 2))])


@check("A vector as either factor, or as both", points=1.5, hidden=True)
def vectors(student: Student, rng: np.random.Generator) -> None:
    expect_matmul(student, rng, [((4,), (4, 2)), ((3, 4), (4,)), ((4,), (4,)), ((3,), (3, 3)), ((3, 3), (3,))])


@check("A batch with a single matrix", points=1, hidden=True)
def batch_against_matrix(student: Student, rng: np.random.Generator) -> None:
    expect_matmul(student, rng, [((5, 3, 4), (4, 2)), ((3, 4), (5, 4, 2)), ((2, 3, 3), (3, 3)), ((3, 3), (2, 3, 3, 3))])


@check("A batch with a vector", points=1.5, hidden=True)
def batch_against_vector(student: Student, rng: np.random.Generator) -> None:
    expect_matmul(student, rng, [((5, 3, 4), (4,)), ((3,), (5, 3, 4)), ((2, 3, 4, 2), (2,)), ((3,), (3, 3, 3))])


@check("Several batch axes, equal and broadcast", points=1.5, hidden=True)
def stretched_batches(student: Student, rng: np.random.Generator) -> None:
    pairs: list[Pair] = [
        ((2, 1, 3, 4), (5, 4, 2)),
        ((1, 3, 4), (5, 4, 2)),
        ((5, 3, 4), (1, 4, 2)),
        ((5, 3, 4), (2, 1, 4, 2)),
    ]
    expect_matmul(student, rng, [*pairs, ((2, 2, 2), (2, 2, 2)), ((2, 3, 2, 4), (2, 3, 4, 3)), ((1, 2, 3), (1, 3, 2))])


@check("Axes of size 1 and 0", points=1.5, hidden=True)
def single_and_empty(student: Student, rng: np.random.Generator) -> None:
    expect_matmul(student, rng, [((1, 1), (1, 1)), ((1,), (1,)), ((1,), (1, 1)), ((2, 1, 1), (1, 1))])
    empty: list[Pair] = [((0, 4), (4, 2)), ((3, 4), (4, 0)), ((0, 3, 4), (4, 2)), ((3, 0), (0, 2))]
    expect_matmul(student, rng, empty, trials=1)


@check("The gradients of large matrices, at the cost of a few forward passes", points=3, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def factors(rows: int, inner: int) -> Inputs:
        return {"a": numbers(rng, (rows, inner)), "b": numbers(rng, (inner, rows))}

    few, many = factors(50, FEW // 100), factors(200, MANY // 400)
    expect_cheap_vjp(student, "matmul_vjp", np.matmul, many, rng, few=few)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    def factor(batch: Shape, matrix: Shape) -> Shape:
        """Some of the batch axes, some of them stretched, before the matrix."""
        kept = batch[int(rng.integers(len(batch) + 1)) :] if rng.random() < 0.5 else batch
        return (*(1 if rng.random() < 0.3 else size for size in kept), *matrix)

    for _ in range(5):
        batch = tuple(int(size) for size in rng.choice([0, 1, 2, 3], size=int(rng.integers(4)), p=[0.1, 0.2, 0.4, 0.3]))
        rows, inner, columns = (int(size) for size in rng.choice(5, size=3, p=[0.1, 0.2, 0.3, 0.2, 0.2]))
        one = (inner,) if rng.random() < 0.25 else factor(batch, (rows, inner))
        two = (inner,) if rng.random() < 0.25 else factor(batch, (inner, columns))
        a, b = numbers(rng, one), numbers(rng, two)
        g = np.asarray(rng.choice([0.0, 1.0, 1e3]) * numbers(rng, np.matmul(a, b).shape))
        layout = str(rng.choice(LAYOUTS))
        student.call_and_see("matmul_vjp", *(array(values, layout=layout) for values in (g, a, b)))


forward_of("matmul_vjp", lambda a, b: a.matmul(b))
for where in ("matrix-times-vector", "vectors", "batch-against-vector"):
    symptom("vectors-as-matrices", raises(type_name="AxisError"), check=where, raised=True)
