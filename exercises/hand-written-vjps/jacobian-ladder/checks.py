"""The truth: each input of a linear function in turn is 1 and the others are 0, which gives the columns of the Jacobian."""

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, to_numpy, variety
from autograder.judge.checks.recording import upstream
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_tuple, expect_vjp
from autograder.judge.diagnosis import forward_of, symptom
from sandbox.wire import Array

Truth = Callable[..., Numbers]


def running_mean(x: Numbers) -> Numbers:
    return np.asarray(np.cumsum(x) / np.arange(1, x.size + 1))


def order_of(x: Numbers) -> list[int]:
    return sorted(range(x.size), key=lambda i: (x[i], i))


def columns(forward: Callable[[Numbers], Numbers], x: Numbers) -> Numbers:
    basis = np.eye(x.size).reshape(x.size, *x.shape)
    return np.stack([forward(one).reshape(-1) for one in basis], axis=1)


def transpose_truth(x: Numbers) -> Numbers:
    return columns(lambda one: one.T, x)


def running_mean_truth(x: Numbers) -> Numbers:
    return columns(running_mean, x)


def sort_truth(x: Numbers) -> Numbers:
    order = order_of(x)
    return columns(lambda one: one[order], x)


def convolve_truth(x: Numbers, *, w: Numbers) -> Numbers:
    return columns(lambda one: np.convolve(one, w), x)


JACOBIANS: dict[str, Truth] = {
    "transpose": transpose_truth,
    "running_mean": running_mean_truth,
    "sort": sort_truth,
    "convolve": convolve_truth,
}


def product_with(jacobian: Truth) -> Callable[..., tuple[Numbers, ...]]:
    def truth(g: Numbers, x: Numbers, **options: Numbers) -> tuple[Numbers, ...]:
        return ((jacobian(x, **options).T @ g.reshape(-1)).reshape(x.shape),)

    return truth


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Different numbers of about size 1. Where there is room for more, one of them is 0."""
    x = np.asarray(rng.permuted(np.linspace(0.4, 2.0, int(np.prod(shape)))).reshape(shape) * rng.choice([-1, 1], shape))
    x += rng.uniform(-0.01, 0.01, shape)
    if x.size > 2:
        x.flat[int(rng.integers(x.size))] = rng.choice([0.0, -0.0])
    return x


def tied(rng: np.random.Generator, size: int) -> Numbers:
    """Few different numbers, with zeros of both signs."""
    return np.asarray(rng.choice([-1.5, -0.0, 0.0, 0.5, 2.0], size))


def output_shape(name: str, x: Numbers, options: dict[str, Numbers]) -> tuple[int, ...]:
    return x.T.shape if name == "transpose" else (x.size + sum(w.size - 1 for w in options.values()),)


Point = tuple[Numbers, dict[str, Numbers]]


def expect_jacobians(student: Student, name: str, points: list[Point]) -> None:
    for number, (x, options) in enumerate(points):
        layout = LAYOUTS[number % len(LAYOUTS)]
        answer = ask_unchanged(student, f"{name}_jacobian", {"x": x}, layout, options)
        sizes = f"x{x.shape}" + "".join(f", {key}{value.shape}" for key, value in options.items())
        truth = JACOBIANS[name](x, **options)
        expect_close(answer, truth, f"{name}_jacobian: the Jacobian for {sizes}", {"x": x} | options, VJP)


def expect_vjps(student: Student, name: str, points: list[Point], rng: np.random.Generator, trials: int = 2) -> None:
    cases = [Case({"x": x}, output_shape(name, x, options), options) for x, options in points]
    expect_vjp(student, f"{name}_vjp", product_with(JACOBIANS[name]), cases, rng, trials=trials)


def matrices(rng: np.random.Generator, *shapes: tuple[int, int]) -> list[Point]:
    return [(numbers(rng, *shape), {}) for shape in shapes]


def vectors(rng: np.random.Generator, *sizes: int) -> list[Point]:
    return [(numbers(rng, size), {}) for size in sizes]


def convolutions(rng: np.random.Generator, *sizes: tuple[int, int]) -> list[Point]:
    return [(numbers(rng, size), {"w": numbers(rng, taps)}) for size, taps in sizes]


@check("The Jacobian of the transpose", points=1, fixed="it does not depend on the entries")
def transpose_matrix(student: Student, rng: np.random.Generator) -> None:
    expect_jacobians(student, "transpose", matrices(rng, (2, 3), (3, 3)))


@check("The Jacobian of the running mean", points=1, fixed="it does not depend on the entries")
def running_mean_matrix(student: Student, rng: np.random.Generator) -> None:
    expect_jacobians(student, "running_mean", vectors(rng, 4))


@check("The Jacobian of the sort", points=1)
def sort_matrix(student: Student, rng: np.random.Generator) -> None:
    expect_jacobians(student, "sort", vectors(rng, 5, 5, 6))


@check("The Jacobian of the convolution", points=1)
def convolve_matrix(student: Student, rng: np.random.Generator) -> None:
    expect_jacobians(student, "convolve", convolutions(rng, (4, 2), (5, 3)))


@check("The four VJPs", points=1)
def small_vjps(student: Student, rng: np.random.Generator) -> None:
    expect_vjps(student, "transpose", matrices(rng, (2, 3), (3, 3)), rng)
    expect_vjps(student, "running_mean", vectors(rng, 4), rng)
    expect_vjps(student, "sort", vectors(rng, 5, 5, 6), rng)
    expect_vjps(student, "convolve", convolutions(rng, (4, 2), (5, 3)), rng)


@check("The transpose of matrices of any shape", points=1, hidden=True)
def transpose_sizes(student: Student, rng: np.random.Generator) -> None:
    points = matrices(rng, (3, 2), (1, 4), (4, 1), (1, 1), (4, 4))
    expect_vjps(student, "transpose", points, rng)
    expect_jacobians(student, "transpose", points)


@check("The running mean of vectors of any size", points=1, hidden=True)
def running_mean_sizes(student: Student, rng: np.random.Generator) -> None:
    points = vectors(rng, 1, 2, 7, 20)
    expect_vjps(student, "running_mean", points, rng)
    expect_jacobians(student, "running_mean", points)


@check("The sort of vectors of any size", points=1, hidden=True)
def sort_sizes(student: Student, rng: np.random.Generator) -> None:
    points = vectors(rng, 1, 2, 8, 40)
    points += [(np.sort(numbers(rng, 5)), {}), (np.sort(numbers(rng, 5))[::-1].copy(), {})]
    expect_vjps(student, "sort", points, rng)
    expect_jacobians(student, "sort", points)


@check("The sort of vectors with equal entries", points=1, hidden=True)
def sort_ties(student: Student, rng: np.random.Generator) -> None:
    points: list[Point] = [(tied(rng, size), {}) for size in (4, 9, 60)]
    expect_vjps(student, "sort", points, rng)
    expect_jacobians(student, "sort", [*points, (np.full(3, rng.choice([0.0, 1.5])), {})])


@check("The convolution with any number of weights", points=1, hidden=True)
def convolve_sizes(student: Student, rng: np.random.Generator) -> None:
    points = convolutions(rng, (1, 1), (1, 4), (4, 1), (2, 5), (3, 3), (12, 4))
    expect_vjps(student, "convolve", points, rng)
    expect_jacobians(student, "convolve", points)


def transpose_large(g: Numbers, x: Numbers) -> Numbers:
    return np.moveaxis(g, 0, 1)


def running_mean_large(g: Numbers, x: Numbers) -> Numbers:
    shares = [value / count for count, value in enumerate(g.tolist(), 1)]
    return np.array(list(accumulate(reversed(shares)))[::-1])


def sort_large(g: Numbers, x: Numbers) -> Numbers:
    return np.asarray(g[np.argsort(np.lexsort((np.arange(x.size), x)))])


def convolve_large(g: Numbers, x: Numbers, w: Numbers) -> Numbers:
    return sum((weight * g[j : j + x.size] for j, weight in enumerate(w)), np.zeros(x.size))


@check("The four VJPs for 10,000 entries", points=2, hidden=True)
def large(student: Student, rng: np.random.Generator) -> None:
    """Last, because the grading ends if the memory is exhausted."""
    n = 10_000
    x = rng.permutation(np.linspace(-2, 2, n))
    x[rng.integers(n, size=1000)] = 0.5
    w = rng.normal(size=10)
    asked: list[tuple[str, Truth, Numbers, dict[str, Numbers]]] = [
        ("transpose", transpose_large, x.reshape(100, -1), {}),
        ("running_mean", running_mean_large, x, {}),
        ("sort", sort_large, x, {}),
        ("convolve", convolve_large, x, {"w": w}),
    ]
    for name, truth, values, options in asked:
        g = upstream(rng, output_shape(name, values, options))
        answer = student.call(f"{name}_vjp", array(g), array(values), **options)
        expect_tuple(answer, 1, f"{name}_vjp", {"x": values})
        what = f"{name}_vjp: the gradient with respect to x for g{g.shape}, x{values.shape}"
        expect_close(answer[0], truth(g, values, **options), what, {"g": g, "x": values} | options, VJP)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for name in JACOBIANS:
        for _ in range(2):
            shape = tuple(int(n) for n in rng.integers(1, 6, size=2 if name == "transpose" else 1))
            x = tied(rng, shape[0]) if name == "sort" and rng.random() < 0.5 else numbers(rng, *shape)
            if name == "sort" and rng.random() < 0.3:
                x = tied(rng, 50)
            options = {"w": numbers(rng, int(rng.integers(1, 7)))} if name == "convolve" else {}
            g = np.asarray(rng.normal(size=output_shape(name, x, options)))
            layout = str(rng.choice(LAYOUTS))
            student.call_and_see(f"{name}_jacobian", array(x, layout=layout), **options)
            student.call_and_see(f"{name}_vjp", array(g, layout=layout), array(x, layout=layout), **options)


def mean_forward(x: Any) -> Any:
    import torch

    return x.cumsum(0) / torch.arange(1, len(x) + 1)


def sort_forward(x: Any) -> Any:
    return x[x.detach().sort(stable=True).indices]


def convolve_forward(x: Any, w: Any) -> Any:
    import torch

    weights = to_numpy(w).tolist()
    parts = [weight * torch.nn.functional.pad(x, (j, len(weights) - 1 - j)) for j, weight in enumerate(weights)]
    return sum(parts[1:], parts[0])


def is_transposed(right: Any, given: Any) -> bool:
    truth, answer = to_numpy(right), to_numpy(given)
    return isinstance(given, Array) and truth.ndim == 2 and answer.shape == truth.T.shape and np.allclose(answer, truth.T)


forward_of("transpose_vjp", lambda x: x.T)
forward_of("running_mean_vjp", mean_forward)
forward_of("sort_vjp", sort_forward)
forward_of("convolve_vjp", convolve_forward)
for where in ("transpose-matrix", "running-mean-matrix", "sort-matrix", "convolve-matrix"):
    symptom("transposed-jacobian", is_transposed, check=where)
