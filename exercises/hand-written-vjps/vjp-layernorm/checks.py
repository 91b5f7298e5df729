"""The truth of the gradients is a complex step of the definition: no derivative is written down here."""

from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import VJP, Student, array, check, expect_close, variety
from autograder.judge.checks.backward_cost import FEW, MANY, SECONDS, Inputs, expect_cheap_vjp
from autograder.judge.checks.vjp import LAYOUTS, Case, ask_unchanged, expect_vjp
from autograder.judge.diagnosis import forward_of, symptom
from sandbox.wire import Array

Shape = tuple[int, ...]

STEP = 1e-30


def value(x: Numbers, gamma: Numbers, beta: Numbers, *, eps: float = 1e-5) -> Numbers:
    """Of real or complex numbers. The variance is a mean over all pairs, so that it contains no other mean."""
    n = x.shape[-1]
    pairs = x[..., :, None] - x[..., None, :]
    centred = pairs.sum(axis=-1) / n
    variance = (pairs * pairs).sum(axis=(-1, -2))[..., None] / (2 * n * n)
    return np.asarray(centred / np.sqrt(variance + eps) * gamma + beta)


def steps(values: Numbers) -> Numbers:
    """A small imaginary step in each entry, one after the other along a new first axis."""
    return (STEP * 1j * np.eye(values.size)).reshape(values.size, *values.shape)


def truth(g: Numbers, x: Numbers, gamma: Numbers, beta: Numbers, *, eps: float = 1e-5) -> tuple[Numbers, ...]:
    axes = tuple(range(1, x.ndim + 1))
    own = (gamma.size, *[1] * (x.ndim - 1), gamma.size)
    dx = (g * np.imag(value(x + steps(x), gamma, beta, eps=eps)) / STEP).sum(axis=axes)
    dgamma = (g * np.imag(value(x, gamma + steps(gamma).reshape(own), beta, eps=eps)) / STEP).sum(axis=axes)
    dbeta = (g * np.imag(value(x, gamma, beta + steps(beta).reshape(own), eps=eps)) / STEP).sum(axis=axes)
    return dx.reshape(x.shape), dgamma, dbeta


def parameters(rng: np.random.Generator, n: int) -> dict[str, Numbers]:
    """A scale of both signs, with one 0 where there is room, and a shift."""
    gamma = np.asarray(rng.uniform(0.4, 1.9, n) * rng.permutation(np.resize([1.0, -1.0], n)))
    if n > 3:
        gamma[int(rng.integers(n))] = rng.choice([0.0, -0.0])
    return {"gamma": gamma, "beta": rng.normal(size=n)}


def rows_of(rng: np.random.Generator, shape: Shape) -> Numbers:
    """Rows with different means and spreads. Where there is room, one entry is 0."""
    x = rng.uniform(0.5, 2, (*shape[:-1], 1)) * rng.normal(size=shape) + rng.normal(size=(*shape[:-1], 1))
    if x.size > 3:
        x.flat[int(rng.integers(x.size))] = rng.choice([0.0, -0.0])
    return np.asarray(x)


def case(rng: np.random.Generator, x: Numbers, **options: float) -> Case:
    return Case({"x": x} | parameters(rng, x.shape[-1]), x.shape, options)


def expect_values(student: Student, cases: list[Case]) -> None:
    for number, asked in enumerate(cases):
        answer = ask_unchanged(student, "layernorm", asked.inputs, LAYOUTS[number % len(LAYOUTS)], asked.options)
        parameter = "".join(f", eps={eps:.6g}" for eps in asked.options.values())
        what = f"layernorm: the value for x{asked.output_shape}{parameter}"
        expect_close(answer, value(*asked.inputs.values(), **asked.options), what, asked.inputs, VJP)


@check("The value for a batch of rows", points=2)
def values_of_rows(student: Student, rng: np.random.Generator) -> None:
    expect_values(student, [case(rng, rows_of(rng, shape)) for shape in ((3, 4), (4, 4))])


@check("The three gradients for a batch of rows", points=2)
def gradients_of_rows(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "layernorm_vjp", truth, [case(rng, rows_of(rng, shape)) for shape in ((3, 4), (4, 4))], rng)


# matrices first, so that only-2d can be told apart
SHAPES: list[Shape] = [(3, 4), (5, 5), (1, 6), (5,), (2, 3, 4), (3, 3, 3), (2, 1, 3, 2)]


@check("The value for any number of leading axes and any epsilon", points=2, hidden=True)
def values_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    scaled = [case(rng, scale * rows_of(rng, (3, 5)), **options) for scale, options in scales(rng)]
    expect_values(student, [*(case(rng, rows_of(rng, shape)) for shape in SHAPES), *scaled])


@check("The gradients for any number of leading axes", points=2, hidden=True)
def gradients_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "layernorm_vjp", truth, [case(rng, rows_of(rng, shape)) for shape in SHAPES], rng)


def scales(rng: np.random.Generator) -> list[tuple[float, dict[str, float]]]:
    large = float(rng.uniform(0.5, 2))
    return [(1e-2, {"eps": 1e-3}), (2e-3, {}), (1.0, {"eps": large}), (30.0, {}), (1e-2, {"eps": 1e-9}), (1e3, {"eps": 0.1})]


@check("The gradients for small and large inputs and any epsilon", points=1.5, hidden=True)
def gradients_of_any_scale(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, scale * rows_of(rng, (3, 5)), **options) for scale, options in scales(rng)]
    expect_vjp(student, "layernorm_vjp", truth, cases, rng, trials=2)


@check("Constant rows, and rows far away from 0", points=1.5, hidden=True)
def unusual_rows(student: Student, rng: np.random.Generator) -> None:
    some = rows_of(rng, (3, 4))
    some[int(rng.integers(3))] = rng.choice([2.0, -0.5, 0.0])
    far = rows_of(rng, (3, 4)) + 1e6 * rng.choice([-1.0, 1.0], size=(3, 1))
    equal = np.full((2, 4), float(rng.integers(-3, 4)))
    cases = [case(rng, some), case(rng, equal, eps=0.04), case(rng, far), case(rng, np.zeros((2, 3)))]
    expect_values(student, cases)
    expect_vjp(student, "layernorm_vjp", truth, cases, rng, trials=2)


@check("A single feature, and an empty batch", points=1, hidden=True)
def single_and_empty(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, rows_of(rng, shape)) for shape in ((1,), (3, 1), (2, 2), (2,), (0, 4), (2, 0, 3))]
    expect_values(student, cases)
    expect_vjp(student, "layernorm_vjp", truth, cases[:2], rng)  # the last upstream gradient of the vector is 0
    expect_vjp(student, "layernorm_vjp", truth, cases[2:], rng, trials=1)


def quick_value(x: Numbers, gamma: Numbers, beta: Numbers) -> Numbers:
    centred = x - x.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5) * gamma + beta)


@check("The gradients of many rows, at the cost of a few forward passes", points=3, hidden=True, seconds=SECONDS)
def cost(student: Student, rng: np.random.Generator) -> None:
    def rows(entries: int) -> Inputs:
        return case(rng, rows_of(rng, (entries // 50, 50))).inputs

    expect_cheap_vjp(student, "layernorm_vjp", quick_value, rows(MANY), rng, few=rows(FEW))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(4):
        leading = tuple(int(size) for size in rng.choice(4, size=int(rng.integers(4)), p=[0.1, 0.3, 0.3, 0.3]))
        x = rows_of(rng, (*leading, int(rng.integers(1, 6)))) * rng.choice([0.0, 1e-2, 1.0, 30.0])
        options = {"eps": float(rng.choice([1e-7, 1e-3, 0.5]))} if rng.random() < 0.6 else {}
        asked = case(rng, x, **options)
        g = np.asarray(rng.normal(size=x.shape) * (rng.random(x.shape) < 0.8))
        layout = str(rng.choice(LAYOUTS))
        sent = [array(values, layout=layout) for values in (g, *asked.inputs.values())]
        student.call_and_see("layernorm", *sent[1:], **options)
        student.call_and_see("layernorm_vjp", *sent, **options)


def forward(x: Any, gamma: Any, beta: Any, eps: float = 1e-5) -> Any:
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred * centred).mean(-1, keepdim=True)
    return centred / (variance + eps).sqrt() * gamma + beta


def breaks_with_other_axes(right: Any, given: Any) -> bool:
    """The matrices, which are asked first, were right."""
    first = right[0] if isinstance(right, tuple) else right
    return isinstance(first, Array) and len(first.shape) != 2


forward_of("layernorm_vjp", forward)
for where in ("values-of-any-shape", "gradients-of-any-shape"):
    symptom("only-2d", breaks_with_other_axes, check=where, raised=True)
