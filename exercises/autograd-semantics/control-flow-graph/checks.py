"""Values and gradients by formula: of the branch by its derivative, of the loop by a product of one factor per step."""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    Student,
    check,
    describe,
    expect_close,
    expect_equal,
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.checks.pictures import Reference, show_backward
from autograder.judge.diagnosis import reads_as, symptom

MAX_STEPS = 50


@probe
def branched(student, points, upstreams, arrival):
    """Value and gradient of piecewise for each point, one after the other."""
    import torch

    answer = []
    for x, upstream in zip(points, upstreams):
        if arrival != "plain":
            x.requires_grad_()
        value = student.piecewise(x * 1 if arrival == "result" else x)
        grad = None
        if torch.is_tensor(value) and value.requires_grad and value.shape == upstream.shape:
            (grad,) = torch.autograd.grad(value, x, upstream, allow_unused=True)
        answer.append({"value": value, "grad": grad})
    return answer


@probe
def grown(student, starts, limits, upstreams, arrival):
    """Result, number of steps and gradient of grow for each start, one after the other."""
    import torch

    answer = []
    for x, limit, upstream in zip(starts, limits, upstreams):
        if arrival != "plain":
            x.requires_grad_()
        given = student.grow(x * 1 if arrival == "result" else x, limit)
        pair = isinstance(given, tuple) and len(given) == 2
        h, steps = given if pair else (given, None)
        grad = None
        if torch.is_tensor(h) and h.requires_grad and h.shape == upstream.shape:
            (grad,) = torch.autograd.grad(h, x, upstream, allow_unused=True)
        answer.append({"pair": pair, "value": h, "steps": steps, "grad": grad})
    return answer


class Branched(msgspec.Struct):
    value: Any
    grad: Any


class Grown(msgspec.Struct):
    pair: bool
    value: Any
    steps: Any
    grad: Any


def value_and_slope(x: float) -> tuple[float, float]:
    return (x * np.sqrt(x), 1.5 * np.sqrt(x)) if x > 0 else (x * x, 2 * x)


def grow(x: Numbers, limit: float) -> tuple[Numbers, int, Numbers]:
    """The result, the number of steps, and the derivative of each entry of the result with respect to its entry of x."""
    h, steps, slope = x, 0, np.ones_like(x)
    while steps < MAX_STEPS and np.linalg.norm(h) <= limit:
        slope = slope * (1.5 + np.cos(h))
        h = 1.5 * h + np.sin(h)
        steps += 1
    return h, steps, slope


def reference_branch(x: float, upstream: Numbers) -> Reference:
    """The branch that is taken, on a tensor of the judge's own."""
    leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    return Reference([leaf * leaf.sqrt() if x > 0 else leaf * leaf], {"x": leaf}, [torch.tensor(upstream)])


def reference_loop(x: Numbers, steps: int, upstream: Numbers) -> Reference:
    """The steps that are made, on tensors of the judge's own."""
    leaf = torch.tensor(x, requires_grad=True)
    h = leaf
    for _ in range(steps):
        h = 1.5 * h + h.sin()
    return Reference([h], {"x": leaf}, [torch.tensor(upstream)])


def expect_gradient(given: Any, truth: Numbers, what: str, shown: dict[str, Any]) -> None:
    if given is None:
        raise fail(f"{what} is missing: no gradient reaches x.", what, shown, expected=truth)
    expect_close(given, torch.tensor(truth), what, shown)


def expect_branches(student: Student, rng: np.random.Generator, points: list[float], arrival: str = "leaf") -> None:
    upstreams = [np.asarray(number(rng, 1.2, 2.5)) for _ in points]
    sent = [tensor(np.asarray(x)) for x in points], [tensor(up) for up in upstreams]
    answers = student.run(branched, *sent, arrival, returns=list[Branched])
    expect_equal(len(answers), len(points), "The number of results")
    for x, upstream, answer in zip(points, upstreams, answers, strict=True):
        picture = show_backward(f"piecewise({x:.4g})", partial(reference_branch, x, upstream))
        value, slope = value_and_slope(x)
        shown = {"x": x, "upstream": upstream}
        expect_close(answer.value, torch.tensor(value, dtype=torch.float64), f"piecewise({x:.6g})", shown)
        if arrival != "plain":
            picture.answered({"x": answer.grad})
            expect_gradient(answer.grad, upstream * slope, f"The gradient of piecewise at x = {x:.6g}", shown)


Case = tuple[Numbers, float]


def expect_growth(student: Student, rng: np.random.Generator, cases: list[Case], arrival: str = "leaf") -> None:
    upstreams = [rng.uniform(0.5, 2.0, size=x.shape) * rng.choice([-1.0, 1.0], size=x.shape) for x, _ in cases]
    sent = [tensor(x) for x, _ in cases], [limit for _, limit in cases], [tensor(up) for up in upstreams]
    answers = student.run(grown, *sent, arrival, returns=list[Grown])
    expect_equal(len(answers), len(cases), "The number of results")
    for (x, limit), upstream, answer in zip(cases, upstreams, answers, strict=True):
        h, steps, slope = grow(x, limit)
        picture = show_backward(f"grow with {steps} steps", partial(reference_loop, x, steps, upstream))
        shown, after = {"x": x, "limit": limit, "upstream": upstream}, f"after {steps} {'step' if steps == 1 else 'steps'}"
        if not answer.pair:
            raise fail(f"grow should return a tuple (h, steps), but returned {describe(answer.value)}.", "grow", shown)
        expect_equal(answer.steps, steps, "The number of steps", shown)
        expect_close(answer.value, torch.tensor(h), f"h {after}", shown)
        if arrival != "plain":
            picture.answered({"x": answer.grad})
            expect_gradient(answer.grad, upstream * slope, f"The gradient of h {after}", shown)


def number(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.uniform(low, high) * rng.choice([-1.0, 1.0]))


def start(rng: np.random.Generator, n: int) -> Numbers:
    return np.asarray(rng.uniform(0.3, 1.4, size=n) * rng.choice([-1.0, 1.0], size=n))


def away_from_ties(x: Numbers, limit: float) -> bool:
    """Whether no norm on the way is so close to the limit that rounding could decide."""
    h = x
    for _ in range(MAX_STEPS):
        norm = np.linalg.norm(h)
        if abs(norm - limit) < 1e-6 * limit:
            return False
        if norm > limit:
            return True
        h = 1.5 * h + np.sin(h)
    return True


def case(rng: np.random.Generator, n: int, low: float, high: float) -> Case:
    """A start of this length and a limit that is a multiple of its norm."""
    while True:
        x = start(rng, n)
        limit = float(np.linalg.norm(x) * rng.uniform(low, high))
        if away_from_ties(x, limit):
            return x, limit


# -- what a wrong answer shows -----------------------------------------------------------------------------------------


def cases_of(right: list[Any], given: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(right, given, strict=True))


def alike(one: Any, other: Any) -> bool:
    return np.allclose(to_numpy(one), to_numpy(other), rtol=1e-7, atol=1e-10)


def not_recorded(right: list[Any], given: list[Any]) -> bool:
    """Right values; gradients are right or missing, and some are missing."""
    pairs = cases_of(right, given)
    return any(g["grad"] is None for _, g in pairs) and all(
        alike(r["value"], g["value"])
        and r.get("steps") == g.get("steps")
        and (g["grad"] is None or alike(r["grad"], g["grad"]))
        for r, g in pairs
    )


def nan_gradients(right: list[Any], given: list[Any]) -> bool:
    """Right values; gradients are right or nan, and those at negative numbers are among the latter."""
    pairs = cases_of(right, given)
    values = all(alike(r["value"], g["value"]) for r, g in pairs)
    odd = [r for r, g in pairs if not np.isfinite(to_numpy(g["grad"])).all()]
    others = all(alike(r["grad"], g["grad"]) for r, g in pairs if np.isfinite(to_numpy(g["grad"])).all())
    return values and others and any(to_numpy(r["value"]) > 0 for r in odd)


def only_at_zero(right: list[Any], given: list[Any]) -> bool:
    """Wrong where the value is 0, right elsewhere."""
    pairs = [(r, g) for r, g in cases_of(right, given) if to_numpy(r["value"]) != 0]
    return bool(pairs) and all(alike(r["value"], g["value"]) and alike(r["grad"], g["grad"]) for r, g in pairs)


def reading(answer: list[dict[str, Any]], points: list[Any], *asked: Any) -> list[dict[str, Any]]:
    """With what was asked: the start, the limit if there is one, and the upstream gradient."""
    limits, upstreams = asked[:2] if len(asked) == 3 else ([None] * len(points), asked[0])
    questions = zip(points, limits, upstreams, strict=True)
    return [{**given, "asked": list(question)} for given, question in zip(answer, questions, strict=True)]


def constant_part(*factors: Callable[[Numbers], Numbers]) -> Callable[[Any, Any], bool]:
    """Right values; the gradient of every wrong case has one of these factors for each step."""

    def gradient(asked: list[Any], factor: Callable[[Numbers], Numbers]) -> Numbers:
        start, limit, upstream = asked
        h, slope = to_numpy(start), to_numpy(upstream)
        for _ in range(grow(h, limit)[1]):
            slope, h = slope * factor(h), 1.5 * h + np.sin(h)
        return slope

    def when(right: list[Any], given: list[Any]) -> bool:
        pairs = cases_of(right, given)
        wrong = [g for r, g in pairs if not alike(r["grad"], g["grad"])]
        values = all(alike(r["value"], g["value"]) for r, g in pairs)
        return values and any(all(alike(gradient(g["asked"], f), g["grad"]) for g in wrong) for f in factors)

    return when


def root_constant(share: float) -> Callable[[Any, Any], bool]:
    """Right values; where x is positive, the gradient is this multiple of the root."""

    def when(right: list[Any], given: list[Any]) -> bool:
        pairs = cases_of(right, given)
        wrong = [g for r, g in pairs if not alike(r["grad"], g["grad"])]
        return all(alike(r["value"], g["value"]) for r, g in pairs) and all(
            alike(share * np.sqrt(to_numpy(g["asked"][0])) * to_numpy(g["asked"][2]), g["grad"]) for g in wrong
        )

    return when


reads_as("branched", reading)
reads_as("grown", reading)
symptom("branch-under-no-grad", not_recorded)
for check_of_grow in ("few-steps", "lengths-and-limits", "no-step", "all-steps"):
    symptom("item-cuts-graph", constant_part(lambda h: np.full_like(h, 1.5)), check=check_of_grow)
    symptom("detached-branch", constant_part(np.cos), check=check_of_grow)
for check_of_piecewise in ("three-points", "more-points", "special-points"):
    symptom("item-cuts-graph", root_constant(1.0), check=check_of_piecewise)
    symptom("detached-branch", root_constant(0.5), check=check_of_piecewise)
    symptom("where-nan", nan_gradients, check=check_of_piecewise)
    symptom("wrong-kink-value", only_at_zero, check=check_of_piecewise)


@check("piecewise on both sides of 0", points=1.5)
def three_points(student: Student, rng: np.random.Generator) -> None:
    expect_branches(student, rng, [4.0, -3.0, float(rng.uniform(0.2, 0.6)), -float(rng.uniform(0.4, 0.9))])


@check("grow: a few steps", points=1.5)
def few_steps(student: Student, rng: np.random.Generator) -> None:
    expect_growth(student, rng, [case(rng, 2, 1.5, 2.2), case(rng, 3, 4.0, 9.0)])


@check("piecewise at other points, including 0", points=2, hidden=True)
def more_points(student: Student, rng: np.random.Generator) -> None:
    sides = [float(rng.uniform(*size)) * sign for size in ((0.05, 0.9), (1.1, 3.0), (5.0, 90.0)) for sign in (1, -1)]
    expect_branches(student, rng, [4.0, 0.3, 0.0, -0.7, -3.0, *sides])


@check("piecewise for tiny and huge numbers, and for results of an operation", points=1, hidden=True)
def special_points(student: Student, rng: np.random.Generator) -> None:
    size = float(rng.uniform(1.0, 9.0))
    tiny = [sign * size * scale for scale in (1e-300, 1e-20, 1e-6) for sign in (1, -1)]
    expect_branches(student, rng, [*tiny, -0.0, 0.0, 1.0, -1.0])
    for huge in (1e6, 1e99):
        expect_branches(student, rng, [size * huge, -size * huge])
    expect_branches(student, rng, [size, 0.0, -size], "result")
    expect_branches(student, rng, [size, 0.0, -size], "plain")


@check("grow for other lengths and limits", points=2, hidden=True)
def lengths_and_limits(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, n, low, high) for n, low, high in ((1, 1.2, 3.0), (4, 1.1, 1.6), (2, 8.0, 30.0), (7, 2.5, 6.0))]
    large = start(rng, 5)
    large[:4] *= 1e-3  # one large entry among small ones
    cases += [(large, 2.0 * abs(float(large[4]))), (np.full(6, 0.4), 1.5)]
    expect_growth(student, rng, [one for one in cases if away_from_ties(*one)])
    expect_growth(student, rng, cases[:2], "result")
    expect_growth(student, rng, cases[:1], "plain")


@check("grow without a step, and a norm that equals the limit", points=1, hidden=True)
def no_step(student: Student, rng: np.random.Generator) -> None:
    far, scale = case(rng, 3, 0.3, 0.8), float(rng.choice([1.0, 2.0, 0.5]))
    none: list[Case] = [far, (start(rng, 1), 0.0), (np.zeros(2), -1.0), (start(rng, 2), -float(rng.uniform(0.5, 2.0)))]
    expect_growth(student, rng, none)
    expect_growth(student, rng, none[:1], "result")
    expect_growth(student, rng, [(scale * np.array([3.0, -4.0]), 5.0 * scale), (np.array([0.0, 2.0, 0.0]), 2.0)])


@check("grow: 50 steps at most", points=1, hidden=True)
def all_steps(student: Student, rng: np.random.Generator) -> None:
    tiny = start(rng, 3) * 1e-22
    tiny[1] = 0.0
    expect_growth(student, rng, [(np.zeros(2), 0.0), (np.zeros(1), 3.0), (tiny, 1.0), (tiny[:1], float("inf"))])


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Points of any size and sign; starts with zeros among them, and limits from below 0 to far above the norm."""
    for arrival in ("leaf", "result", "plain"):
        points = [float(x) for x in (*rng.normal(size=3), *rng.choice([0.0, -0.0, 1.0, 1e-9, -1e-9, 1e50], size=3))]
        upstreams = [tensor(np.asarray(number(rng, 0.5, 2.0))) for _ in points]
        student.run(branched, [tensor(np.asarray(x)) for x in points], upstreams, arrival)
        starts = [start(rng, int(n)) * (rng.random(int(n)) < 0.8) for n in rng.integers(1, 6, size=4)]
        starts.append(np.array([3.0, 4.0]))
        limits = [float(rng.choice([-1.0, 0.0, 5.0, rng.uniform(0.1, 20.0)])) for _ in starts[1:]] + [5.0]
        student.run(grown, [tensor(x) for x in starts], limits, [tensor(np.ones_like(x)) for x in starts], arrival)
