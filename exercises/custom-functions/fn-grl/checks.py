"""A reversed gradient is no derivative of anything, so values and gradients are compared with their specification, in numpy."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import SINGLE, Student, Tolerance, check, expect, expect_close, fail, probe, tensor, variety
from autograder.judge.diagnosis import raises, symptom

CLOSE = Tolerance(1e-10, 1e-13)
EXACT = Tolerance(0.0, 0.0)
LAYOUTS = ("contiguous", "transposed", "strided")


@probe
def pulled(student, cases):
    """For every case `(x, g, lam, other, how)` a small graph with the layer: what the layer returned, the value and the
    gradient of the graph, and three facts about the layer's result."""
    import torch

    answers = []
    for x, g, lam, other, how in cases:
        if how != "plain":
            x.requires_grad_()
        before = x.requires_grad
        argument = 2 * x if how == "non-leaf" else x
        layer = student.grad_reverse(argument, lam)
        facts = [layer is argument, torch.is_tensor(layer) and layer.requires_grad, x.requires_grad == before]
        value = layer
        if how == "beside":
            value = layer + x
        if how == "before":
            value = x + student.grad_reverse(x, other)
        if how == "unused":
            value = 3 * x
        if how == "side by side":
            value = layer + 3 * student.grad_reverse(x, other)
        if how == "one after the other":
            value = student.grad_reverse(layer, other)
        if how == "non-leaf":
            value = layer + argument * argument
        if how == "used twice":
            value = layer * layer + layer
        grad = None if how == "plain" else torch.autograd.grad(value, x, g, allow_unused=True)[0]
        answers.append({"layer": layer, "value": value, "grad": grad, "facts": facts})
    return answers


class Pulled(msgspec.Struct):
    """What the probe says about one case."""

    layer: Any
    value: Any
    grad: Any
    facts: list[bool]


@dataclass(frozen=True)
class Case:
    """One graph, with the numbers in it."""

    x: Numbers
    g: Numbers
    lam: float
    other: float = 0.0
    how: str = "alone"


Formula = Callable[[Case], Numbers]
# the value of each graph, and how its value changes with x if the layer is reversed
GRAPHS: dict[str, tuple[str, Formula, Formula]] = {
    "alone": ("grad_reverse(x, lam)", lambda c: c.x, lambda c: -c.lam + 0 * c.x),
    "plain": ("grad_reverse(x, lam)", lambda c: c.x, lambda c: 0 * c.x),
    "beside": ("grad_reverse(x, lam) + x", lambda c: 2 * c.x, lambda c: 1 - c.lam + 0 * c.x),
    "before": ("x + grad_reverse(x, other)", lambda c: 2 * c.x, lambda c: 1 - c.other + 0 * c.x),
    "unused": ("3 * x, after a call of grad_reverse(x, lam)", lambda c: 3 * c.x, lambda c: 3 + 0 * c.x),
    "side by side": (
        "grad_reverse(x, lam) + 3 * grad_reverse(x, other)",
        lambda c: 4 * c.x,
        lambda c: -c.lam - 3 * c.other + 0 * c.x,
    ),
    "one after the other": (
        "grad_reverse(grad_reverse(x, lam), other)",
        lambda c: c.x,
        lambda c: c.lam * c.other + 0 * c.x,
    ),
    "non-leaf": (
        "grad_reverse(h, lam) + h * h with h = 2 * x",
        lambda c: 2 * c.x + 4 * c.x * c.x,
        lambda c: -2 * c.lam + 8 * c.x,
    ),
    "used twice": (
        "y * y + y with y = grad_reverse(x, lam)",
        lambda c: c.x * c.x + c.x,
        lambda c: -c.lam * (2 * c.x + 1),
    ),
}


def expect_pulled(student: Student, cases: list[Case]) -> None:
    sent = [
        [tensor(c.x, layout=LAYOUTS[n % 3]), tensor(c.g, layout=LAYOUTS[(n + 1) % 3]), c.lam, c.other, c.how]
        for n, c in enumerate(cases)
    ]
    answers = student.run(pulled, sent, returns=list[Pulled])
    expect(len(answers) == len(cases), "The results of grad_reverse could not be read.")
    for case, answer in zip(cases, answers, strict=True):
        expect_case(case, answer)


def expect_case(case: Case, answer: Pulled) -> None:
    graph, value, slope = GRAPHS[case.how]
    shown: dict[str, Any] = {"x": case.x, "lam": case.lam}
    shown |= {"other": case.other} if "other" in graph else {}
    at = 2 * case.x if case.how == "non-leaf" else case.x
    expect_close(answer.layer, tensor(at), "The value of grad_reverse", shown, EXACT)
    single = case.x.dtype == np.float32
    what = f"the value of {graph}"
    expect_close(answer.value, tensor(value(case).astype(case.x.dtype)), what, shown, SINGLE if single else CLOSE)
    same, recorded, kept = (*answer.facts, False, False, False)[:3]
    expect(kept, "grad_reverse changed requires_grad of x.", "requires_grad of x", shown)
    if case.how == "plain":
        expect(not recorded, "The result should not require grad if x does not.", "requires_grad of the result", shown)
        return
    shown["upstream"] = case.g
    truth = np.asarray(case.g * slope(case), case.x.dtype)
    what = f"The gradient of {graph} with respect to x"
    if answer.grad is None:
        raise fail(f"{what} is None.", what, shown, expected=tensor(truth))
    expect_close(answer.grad, tensor(truth), what, shown, SINGLE if single else CLOSE)
    expect(not same, "grad_reverse returned x itself, although x requires grad.", "the result", shown)
    expect(recorded, "The result should require grad if x does.", "requires_grad of the result", shown)


def numbers(rng: np.random.Generator, *shape: int, dtype: str = "float64") -> Numbers:
    return np.asarray(rng.choice([-1.0, 1.0], shape) * rng.uniform(0.5, 2.0, shape), dtype=dtype)


def case_of(
    rng: np.random.Generator, how: str, shape: tuple[int, ...] = (4,), *, lam: float | None = None, dtype: str = "float64"
) -> Case:
    """A graph with random numbers; the two strengths differ from each other and from 1."""
    first = float(rng.choice([rng.uniform(0.2, 0.7), rng.uniform(1.4, 3.0)]))
    other = float(rng.uniform(3.5, 5.0))
    x, g = numbers(rng, *shape, dtype=dtype), numbers(rng, *shape, dtype=dtype)
    return Case(x, g, first if lam is None else lam, other, how)


@check("The value is x, and the gradient is reversed", points=1.5)
def one_call(student: Student, rng: np.random.Generator) -> None:
    cases = [case_of(rng, "alone", lam=0.3), case_of(rng, "alone", (2, 3), lam=2.5), case_of(rng, "plain")]
    expect_pulled(student, cases)


@check("x is used directly and through the layer", points=1.5)
def other_uses(student: Student, rng: np.random.Generator) -> None:
    expect_pulled(student, [case_of(rng, how) for how in ("beside", "before", "unused")])


@check("Several layers in one graph", points=1.5, hidden=True)
def several(student: Student, rng: np.random.Generator) -> None:
    cases = [case_of(rng, how) for how in ("side by side", "one after the other")]
    cases += [case_of(rng, how, lam=lam) for how in ("side by side", "one after the other") for lam in (0.0, 1.0)]
    expect_pulled(student, cases)


@check("The strengths 0 and 1", points=1, hidden=True)
def special_strengths(student: Student, rng: np.random.Generator) -> None:
    hows = ("alone", "beside", "unused", "non-leaf", "used twice")
    expect_pulled(student, [case_of(rng, how, lam=lam) for lam in (0.0, 1.0) for how in hows])


@check("Within a longer computation", points=1, hidden=True)
def longer(student: Student, rng: np.random.Generator) -> None:
    expect_pulled(student, [case_of(rng, how, (3, 2)) for how in ("non-leaf", "used twice", "beside", "before")])


@check("Any shape, layout and precision, with and without gradients", points=1, hidden=True)
def shapes_and_types(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[int, ...]] = [(), (1,), (0,), (2, 0, 3), (3, 4), (2, 1, 3)]
    cases = [case_of(rng, how, shape) for shape in shapes for how in ("alone", "beside", "plain")]
    cases += [case_of(rng, how, (3,), dtype="float32") for how in ("alone", "beside", "plain", "side by side")]
    expect_pulled(student, [*cases, case_of(rng, "alone", (), dtype="float32")])


@check("Values and gradients of any size, bit by bit", points=0.5, hidden=True)
def bit_by_bit(student: Student, rng: np.random.Generator) -> None:
    cases = []
    for size in (1e-300, 1e-9, 1e9, 1e200):
        x, g = size * numbers(rng, 6), numbers(rng, 6)
        cases += [Case(x, g, float(rng.uniform(0.2, 3.0))), Case(numbers(rng, 6), g * size, 0.3)]
    x, g = numbers(rng, 4, 4), numbers(rng, 4, 4)
    x[0], x[1], g[:, 0], g[:, 1] = 0.0, -0.0, 0.0, -0.0
    cases += [Case(x, g, lam, 0.0, how) for lam in (0.0, 0.7) for how in ("alone", "plain", "beside")]
    cases += [Case(numbers(rng, 40), numbers(rng, 40), float(rng.uniform(0.2, 9.0))) for _ in range(3)]
    expect_pulled(student, cases)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    cases: list[Any] = []
    for how in GRAPHS:
        dtype = str(rng.choice(["float64", "float32"]))
        shape = tuple(int(n) for n in rng.integers(0, 4, size=int(rng.integers(0, 4))))
        x, g = (np.asarray(rng.normal(size=shape) * (rng.random(shape) < 0.8), dtype=dtype) for _ in range(2))
        lam, other = (float(rng.choice([0.0, 1.0, rng.uniform(0.0, 4.0)])) for _ in range(2))
        layout = str(rng.choice(LAYOUTS))
        cases.append([tensor(x, layout=layout), tensor(g, layout=layout), lam, other, how])
    student.run(pulled, cases, returns=list[Pulled])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------

for where in ("one-call", "shapes-and-types", "bit-by-bit"):
    symptom("needs-grad-assumed", raises("doesn't require gradient", "requires_grad=False"), check=where, raised=True)
