"""The battery of expect_vjp: random upstream gradients, three memory layouts, exact shapes and types."""

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, variety
from autograder.judge.checks.vjp import Case, expect_vjp


def truth(g: Numbers, x: Numbers, w: Numbers) -> tuple[Numbers, Numbers]:
    return g * w, np.einsum("ij,ij->j", g, x)


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Magnitudes around one, both signs, and neither 0 nor 1, which hide mistakes."""
    return np.asarray(rng.uniform(1.2, 2.0, size=shape) * rng.choice([-1.0, 1.0], size=shape))


def with_zeros(rng: np.random.Generator, *shape: int) -> Numbers:
    """About a third are 0, because a formula may fail only there."""
    return np.asarray(numbers(rng, *shape) * (rng.random(shape) < 0.7))


def cases(rng: np.random.Generator, *shapes: tuple[int, int]) -> list[Case]:
    return [Case({"x": numbers(rng, n, m), "w": numbers(rng, m)}, (n, m)) for n, m in shapes]


@check("A matrix of two rows", points=1)
def two_rows(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "scale_vjp", truth, cases(rng, (2, 3)), rng)


# TODO(author): hidden checks, one for each mistake that you can name
@check("Other shapes, including a single row and a single column", points=3, hidden=True)
def other_shapes(student: Student, rng: np.random.Generator) -> None:
    zeros = Case({"x": with_zeros(rng, 3, 4), "w": np.array([0.0, 1.5, -0.0, -1.2])}, (3, 4))
    expect_vjp(student, "scale_vjp", truth, [*cases(rng, (1, 3), (4, 1), (3, 2)), zeros], rng)


# TODO(author): random inputs from everything that the statement allows; nothing is graded here
@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(4):
        n, m = int(rng.integers(1, 5)), int(rng.integers(1, 5))
        g, x, w = (array(with_zeros(rng, *shape)) for shape in ((n, m), (n, m), (m,)))
        student.call_and_see("scale_vjp", g, x, w)
