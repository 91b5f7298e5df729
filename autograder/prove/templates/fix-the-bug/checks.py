"""Compares the weights with a descent whose gradient comes from its formula, with numpy."""

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, expect_close, tensor, variety
from autograder.judge.checks.memory import expect_unchanged


def descend(x: Numbers, y: Numbers, w: Numbers, steps: int, rate: float) -> Numbers:
    for _ in range(steps):
        w = w - rate * 2 * x.T @ (x @ w - y) / y.size
    return w


def problem(rng: np.random.Generator, rows: int, columns: int) -> dict[str, Numbers]:
    shapes = {"x": (rows, columns), "y": (rows,), "w": (columns,)}
    return {name: np.asarray(rng.normal(size=shape)) for name, shape in shapes.items()}


def expect_fit(student: Student, rng: np.random.Generator, rows: int, columns: int, steps: int) -> None:
    arrays, rate = problem(rng, rows, columns), float(rng.uniform(0.05, 0.15))
    given, after = student.call_and_see("fit", *map(tensor, arrays.values()), steps, rate)
    expected = descend(*arrays.values(), steps, rate)
    expect_close(given, tensor(expected), "fit(x, y, w, steps, rate)", {**arrays, "steps": steps, "rate": rate})
    expect_unchanged(arrays, after, "fit")


@check("Three steps", points=1)
def three_steps(student: Student, rng: np.random.Generator) -> None:
    expect_fit(student, rng, rows=4, columns=2, steps=3)


# TODO(author): hidden checks, one for each mistake that you can name
@check("Any number of steps, and other sizes", points=3, hidden=True)
def other_sizes(student: Student, rng: np.random.Generator) -> None:
    for rows, columns, steps in ((1, 1, 2), (5, 3, 0), (5, 3, 1), (2, 4, 10), (30, 3, 5)):
        expect_fit(student, rng, rows, columns, steps)


# TODO(author): random inputs from everything that the statement allows; nothing is graded here
@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    arrays = problem(rng, int(rng.integers(1, 5)), int(rng.integers(1, 4)))
    sent = (*map(tensor, arrays.values()), int(rng.integers(0, 5)), float(rng.choice([0.1, 0.02])))
    student.call_and_see("fit", *sent)
