"""Checks the value first, then the graph: a graph contains no constants, and student code could forge it."""

import numpy as np
import torch

from autograder.judge.checks import Student, check, expect_close, tensor, variety
from autograder.judge.checks.graphs import expect_graph, export, of_tensor


def truth(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    product = a * b
    return product * product + b


def numbers(rng: np.random.Generator, n: int) -> torch.Tensor:
    """Magnitudes around one, both signs, and neither 0 nor 1, which hide mistakes."""
    drawn = rng.uniform(1.2, 2.0, size=n) * rng.choice([-1.0, 1.0], size=n)
    return torch.from_numpy(np.asarray(drawn)).requires_grad_()


def expect_built(student: Student, rng: np.random.Generator, n: int) -> None:
    a, b = numbers(rng, n), numbers(rng, n)
    out = truth(a, b)
    given, found = export(student, "build", {"a": tensor(a.detach()), "b": tensor(b.detach())})
    expect_close(given, out.detach(), "build(a, b)", {"a": a, "b": b})
    expect_graph(found, of_tensor(out, {"a": a, "b": b}), "build(a, b)")


@check("The value and the graph for three entries", points=1)
def three_entries(student: Student, rng: np.random.Generator) -> None:
    expect_built(student, rng, 3)


# TODO(author): hidden checks, one for each mistake that you can name
@check("Other lengths, including a single entry", points=3, hidden=True)
def other_lengths(student: Student, rng: np.random.Generator) -> None:
    for n in (1, 4):
        expect_built(student, rng, n)


# TODO(author): random inputs from everything that the statement allows; nothing is graded here
@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    a, b = (tensor(rng.normal(size=int(n))) for n in [rng.integers(1, 5)] * 2)
    export(student, "build", {"a": a, "b": b})
    student.call_and_see("build", a, b)
