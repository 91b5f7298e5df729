"""gradcheck is public; values and gradients for other shapes, and the second derivative, are hidden."""

import numpy as np
import torch

from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.functions import (
    expect_function_vjp,
    expect_gradcheck,
    expect_gradgradcheck,
    expect_second_vjp,
)


def truth(x: torch.Tensor) -> torch.Tensor:
    return x * x


def numbers(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Magnitudes around one, both signs, and neither 0 nor 1, which hide mistakes."""
    return torch.from_numpy(np.asarray(rng.uniform(1.2, 2.0, size=shape) * rng.choice([-1.0, 1.0], size=shape)))


def with_zeros(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """About a third are 0, because a formula may fail only there."""
    return numbers(rng, *shape) * torch.from_numpy(np.asarray(rng.random(shape) < 0.7))


@check("gradcheck", points=1)
def first_order(student: Student, rng: np.random.Generator) -> None:
    expect_gradcheck(student, "Square", numbers(rng, 3))


# TODO(author): hidden checks, one for each mistake that you can name
@check("Values and gradients for other shapes", points=2, hidden=True)
def other_shapes(student: Student, rng: np.random.Generator) -> None:
    """gradcheck compares backward with the student's own forward; this compares both with the reference."""
    points = [((numbers(rng, *shape),), (numbers(rng, *shape),)) for shape in ((), (1,), (2, 3))]
    points.append(((with_zeros(rng, 20),), (with_zeros(rng, 20),)))
    expect_function_vjp(student, "Square", points, truth)


@check("gradgradcheck", points=1, hidden=True)
def second_order(student: Student, rng: np.random.Generator) -> None:
    expect_gradgradcheck(student, "Square", numbers(rng, 2), upstream=(numbers(rng, 2),))
    x, g, weights = (with_zeros(rng, 20) for _ in range(3))
    expect_second_vjp(student, "Square", [((x,), (g,), (weights,))], truth)


# TODO(author): random inputs from everything that the statement allows; nothing is graded here
@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    shape = tuple(int(n) for n in rng.integers(0, 4, size=int(rng.integers(0, 4))))
    x, g, gg = (with_zeros(rng, *shape) for _ in range(3))
    for operation in ("function.vjp", "function.backward"):
        student.operate(operation, [[[x], [g]]], name="Square")
    student.operate("function.second_vjp", [[[x], [g], [gg]]], name="Square")
