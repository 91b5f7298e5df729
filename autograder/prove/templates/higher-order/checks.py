"""Computes the Hessian from its formula, with numpy."""

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, expect_close, tensor, variety
from autograder.judge.checks.memory import expect_unchanged


def hessian(x: Numbers) -> Numbers:
    result = np.zeros((x.size, x.size))
    for i in range(x.size - 1):
        result[i, i] = 2 * x[i + 1]
        result[i, i + 1] = result[i + 1, i] = 2 * x[i]
    return result


def expect_product(student: Student, rng: np.random.Generator, n: int) -> None:
    x = np.asarray(rng.uniform(1.2, 2.0, size=n) * rng.choice([-1.0, 1.0], size=n))
    v = np.asarray(rng.normal(size=n))
    given, after = student.call_and_see("hvp", tensor(x), tensor(v))
    expect_close(given, tensor(hessian(x) @ v), "hvp(x, v)", {"x": x, "v": v})
    expect_unchanged({"x": x, "v": v}, after, "hvp")


@check("Three variables", points=1)
def three_variables(student: Student, rng: np.random.Generator) -> None:
    expect_product(student, rng, 3)


# TODO(author): hidden checks, one for each mistake that you can name
@check("Two variables, and more", points=3, hidden=True)
def other_sizes(student: Student, rng: np.random.Generator) -> None:
    for n in (2, 6, 50):
        expect_product(student, rng, n)


# TODO(author): random inputs from everything that the statement allows; nothing is graded here
@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    n = int(rng.integers(2, 8))
    student.call_and_see("hvp", tensor(rng.normal(size=n)), tensor(rng.normal(size=n)))
