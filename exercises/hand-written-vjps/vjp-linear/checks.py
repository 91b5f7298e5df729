"""The truth, product by product: each w * x in an output sends its share of the upstream to its weight and to its feature."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, array, check, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.vjp import LAYOUTS, Case, expect_vjp
from autograder.judge.diagnosis import forward_of, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]
Sizes = tuple[int, ...]  # of the features: those of the input, of the output, or of all three layers


def linear_truth(g: Numbers, x: Numbers, w: Numbers, b: Numbers) -> tuple[Numbers, ...]:
    """Axes of the table of all products: sample, output, input feature. No matrix product, no transposition."""
    samples, upstream = x.reshape(-1, w.shape[1]), g.reshape(-1, w.shape[0])
    of_samples = (upstream[:, :, None] * w).sum(axis=1)
    of_weights = (upstream[:, :, None] * samples[:, None, :]).sum(axis=0)
    return of_samples.reshape(x.shape), of_weights, upstream.sum(axis=0)


def mlp_truth(g: Numbers, x: Numbers, w1: Numbers, b1: Numbers, w2: Numbers, b2: Numbers) -> tuple[Numbers, ...]:
    before = (x[..., None, :] * w1).sum(axis=-1) + b1
    of_hidden, *second = linear_truth(g, np.where(before > 0, before, 0.0), w2, b2)
    return *linear_truth(np.where(before > 0, of_hidden, 0.0), x, w1, b1), *second


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Where there is room for more, one of them is 0."""
    values = np.asarray(rng.normal(size=shape))
    if values.size > 2:
        values.flat[int(rng.integers(values.size))] = rng.choice([0.0, -0.0])
    return values


def linear_case(rng: np.random.Generator, leading: Shape, sizes: Sizes) -> Case:
    features, outputs = sizes
    inputs = {"x": numbers(rng, *leading, features), "w": numbers(rng, outputs, features), "b": numbers(rng, outputs)}
    return Case(inputs, (*leading, outputs))


def mlp_case(rng: np.random.Generator, leading: Shape, sizes: Sizes) -> Case:
    features, hidden, outputs = sizes
    first = {"x": numbers(rng, *leading, features), "w1": numbers(rng, hidden, features), "b1": numbers(rng, hidden)}
    return Case(first | {"w2": numbers(rng, outputs, hidden), "b2": numbers(rng, outputs)}, (*leading, outputs))


def kink_case(rng: np.random.Generator, leading: Shape, sizes: Sizes) -> Case:
    """Small whole numbers, and a bias with which each hidden unit is exactly 0 for one of the samples."""
    case = mlp_case(rng, leading, sizes)
    features, hidden, _ = sizes
    x = rng.choice([-2.0, -1.0, 1.0, 3.0], size=(*leading, features))
    w1 = rng.choice([-3.0, -1.0, 1.0, 2.0], size=(hidden, features))
    samples = x.reshape(-1, features)
    chosen = rng.integers(len(samples), size=hidden)
    b1 = -np.array([samples[n] @ row for n, row in zip(chosen, w1, strict=True)])
    return Case(case.inputs | {"x": x, "w1": w1, "b1": b1}, case.output_shape)


def expect_linear(student: Student, rng: np.random.Generator, cases: list[tuple[Shape, Sizes]], trials: int = 3) -> None:
    asked = [linear_case(rng, leading, sizes) for leading, sizes in cases]
    expect_vjp(student, "linear_vjp", linear_truth, asked, rng, trials=trials)


def expect_mlp(student: Student, rng: np.random.Generator, cases: list[tuple[Shape, Sizes]], trials: int = 3) -> None:
    asked = [mlp_case(rng, leading, sizes) for leading, sizes in cases]
    expect_vjp(student, "mlp_vjp", mlp_truth, asked, rng, trials=trials)


@check("The linear layer for a batch of rows", points=1.5)
def linear_rows(student: Student, rng: np.random.Generator) -> None:
    expect_linear(student, rng, [((5,), (4, 2)), ((3,), (4, 4))])


@check("The linear layer for a single vector", points=1)
def linear_vector(student: Student, rng: np.random.Generator) -> None:
    expect_linear(student, rng, [((), (4, 2))])


@check("The network for a batch of rows", points=1.5)
def mlp_rows(student: Student, rng: np.random.Generator) -> None:
    expect_mlp(student, rng, [((5,), (4, 3, 2))])


LEADING: list[Shape] = [(), (1,), (2, 3), (3, 3), (2, 3, 2), (4, 1, 1, 2)]


@check("The linear layer with any number of leading axes", points=1.5, hidden=True)
def linear_leading_axes(student: Student, rng: np.random.Generator) -> None:
    matrices = [((4,), (3, 5)), ((3,), (3, 3)), ((4,), (4, 2))]  # first, so that only-2d can be told apart
    expect_linear(student, rng, [*matrices, *((leading, (3, 2)) for leading in LEADING), ((), (3, 3)), ((3, 3), (3, 3))])


@check("The network with any number of leading axes", points=1.5, hidden=True)
def mlp_leading_axes(student: Student, rng: np.random.Generator) -> None:
    matrices = [((4,), (3, 5, 2)), ((3,), (3, 3, 3)), ((6,), (2, 4, 5))]
    expect_mlp(student, rng, [*matrices, *((leading, (3, 4, 2)) for leading in LEADING), ((3, 3), (3, 3, 3))], trials=2)


@check("Pre-activations of exactly 0", points=1.5, hidden=True)
def kinks(student: Student, rng: np.random.Generator) -> None:
    cases = [kink_case(rng, leading, (3, 6, 2)) for leading in ((4,), (), (2, 2))]
    silent = mlp_case(rng, (3,), (2, 4, 2))  # every pre-activation is 0
    blank = {"x": np.zeros((3, 2)), "b1": rng.choice([0.0, -0.0], size=4)}
    expect_vjp(student, "mlp_vjp", mlp_truth, [*cases, Case(silent.inputs | blank, silent.output_shape)], rng, trials=2)


@check("Axes of size 1, and an empty batch", points=1, hidden=True)
def single_and_empty(student: Student, rng: np.random.Generator) -> None:
    expect_linear(student, rng, [((1,), (1, 1)), ((), (1, 1)), ((4,), (1, 3)), ((4,), (3, 1)), ((2, 1), (1, 2))], trials=2)
    expect_mlp(student, rng, [((1,), (1, 1, 1)), ((), (2, 1, 3)), ((4,), (1, 3, 1))], trials=2)
    for leading in ((0,), (2, 0), (0, 3)):
        expect_linear(student, rng, [(leading, (3, 2))], trials=1)
        expect_mlp(student, rng, [(leading, (3, 4, 2))], trials=1)


def mlp(x: Numbers, w1: Numbers, b1: Numbers, w2: Numbers, b2: Numbers) -> Numbers:
    before = x @ w1.T + b1
    return np.asarray(before * (before.real > 0) @ w2.T + b2)


@check("The gradients of a large network, at the cost of a few forward passes", points=2.5, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    few, many = (
        mlp_case(rng, (2 * n // size // 3,), (size // 2, size // 2, size // 2)).inputs
        for n, size in ((FEW, 60), (MANY, 200))
    )
    expect_cheap_vjp(student, "mlp_vjp", mlp, many, rng, few=few)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(4):
        leading = tuple(int(size) for size in rng.choice(4, size=int(rng.integers(4)), p=[0.1, 0.3, 0.3, 0.3]))
        sizes = tuple(int(size) for size in rng.integers(1, 4, size=3))
        empty = 0 in leading
        network = mlp_case(rng, leading, sizes) if empty or rng.random() < 0.5 else kink_case(rng, leading, sizes)
        layout = str(rng.choice(LAYOUTS))
        for name, case in (("linear_vjp", linear_case(rng, leading, sizes[:2])), ("mlp_vjp", network)):
            g = np.asarray(rng.choice([0.0, 1.0, 1e3]) * numbers(rng, *case.output_shape))
            sent = (array(values, layout=layout) for values in (g, *case.inputs.values()))
            student.call_and_see(name, *sent)


def breaks_with_other_axes(right: Any, given: Any) -> bool:
    """The matrices, which are asked first, were right."""
    return isinstance(right, tuple) and isinstance(right[0], Array) and len(right[0].shape) != 2


def linear(x: Any, w: Any, b: Any) -> Any:
    return x.matmul(w.t()) + b


def network(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    return linear(linear(x, w1, b1).relu(), w2, b2)


forward_of("linear_vjp", linear)
forward_of("mlp_vjp", network)
for where in ("linear-leading-axes", "mlp-leading-axes"):
    symptom("only-2d", breaks_with_other_axes, check=where, raised=True)
