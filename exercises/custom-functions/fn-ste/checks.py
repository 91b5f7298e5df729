"""A surrogate gradient fits no difference quotient, so it is compared with its specification, written in numpy here."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import SINGLE, TENSOR, Student, check, describe, expect_close, fail, probe, tensor, variety
from autograder.judge.checks.memory import expect_unchanged
from autograder.judge.diagnosis import forward_of

Rule = Callable[[Numbers], Numbers]


def same_as_upstream(x: Numbers) -> Numbers:
    return np.ones_like(x)


def sign(x: Numbers) -> Numbers:
    return np.where(x < 0, -1, 1).astype(x.dtype)


def window(x: Numbers) -> Numbers:
    return np.logical_and(x >= -1, x <= 1).astype(x.dtype)


RULES: dict[str, tuple[Rule, Rule]] = {"round_ste": (np.rint, same_as_upstream), "sign_ste": (sign, window)}


def expect_ste(student: Student, rng: np.random.Generator, name: str, *points: Numbers, holes: float = 0.0) -> None:
    """Value and gradient at each array of points, under a random upstream, of which a share of `holes` is 0."""
    layouts = ("contiguous", "transposed", "strided")
    value, slope = RULES[name]
    upstreams = [np.asarray(rng.normal(size=x.shape) * (rng.random(x.shape) >= holes), dtype=x.dtype) for x in points]
    sent = [
        [[tensor(x, layout=layouts[n % 3])], [tensor(g, layout=layouts[(n + 1) % 3])]]
        for n, (x, g) in enumerate(zip(points, upstreams, strict=True))
    ]
    answers = student.operate("function.vjp", sent, name=name)
    if not isinstance(answers, list) or len(answers) != len(points):
        raise fail(f"The values and gradients of {name} could not be read.")
    for x, g, answer in zip(points, upstreams, answers, strict=True):
        shown = {"x": tensor(x), "upstream": tensor(g)}
        given_value, given_gradient = single(answer, 0, name), single(answer, 1, name)
        tolerance = TENSOR if x.dtype == np.float64 else SINGLE
        expect_close(given_value, tensor(value(x)), f"The value of {name}", shown, tolerance)
        expect_close(given_gradient, tensor(g * slope(x)), f"The gradient of {name}", shown, tolerance)


def single(answer: Any, position: int, name: str) -> Any:
    """The only output, or the only gradient, of one answer of the guest."""
    values = answer[position] if isinstance(answer, list) and len(answer) == 2 else None
    if not isinstance(values, list) or len(values) != 1:
        raise fail(f"{name} should return one tensor, but returned {describe(values)}.")
    return values[0]


def ordinary(rng: np.random.Generator, *shape: int, dtype: str = "float64") -> Numbers:
    """Up to 4 in size, and at least 0.1 away from each integer and each half: no kink is near."""
    whole = rng.integers(-4, 4, shape)
    return np.asarray(whole + rng.choice([0.0, 0.5], shape) + rng.uniform(0.1, 0.4, shape), dtype=dtype)


def inside_and_outside(rng: np.random.Generator, size: int = 4) -> Numbers:
    """Both signs, and both sides of the window."""
    near, far = rng.uniform(0.1, 0.9, size), rng.uniform(1.1, 4, size)
    return rng.permutation(np.concatenate([near, -near[::-1] / 2, far, -far]))


@check("round_ste at ordinary inputs", points=1)
def round_ordinary(student: Student, rng: np.random.Generator) -> None:
    expect_ste(student, rng, "round_ste", ordinary(rng, 5), ordinary(rng, 2, 3))


@check("sign_ste at ordinary inputs", points=1.5)
def sign_ordinary(student: Student, rng: np.random.Generator) -> None:
    expect_ste(student, rng, "sign_ste", inside_and_outside(rng), ordinary(rng, 2, 3))


@check("Halves are rounded to the nearest even integer", points=1, hidden=True)
def halves(student: Student, rng: np.random.Generator) -> None:
    """Both kinds of halves always occur: those whose even neighbour lies above, and those where it lies below."""
    half = rng.permutation(
        np.concatenate([np.arange(-5, 5) + 0.5, rng.integers(5, 900, 4) + 0.5, -rng.integers(5, 900, 4) - 0.5])
    )
    beside = np.nextafter(half[:6], rng.choice([-np.inf, np.inf], 6))
    expect_ste(student, rng, "round_ste", half, half.astype("float32"), beside)


@check("Zeros of both signs, and numbers close to zero", points=1, hidden=True)
def around_zero(student: Student, rng: np.random.Generator) -> None:
    tiny = rng.uniform(1, 9, 4) * np.array([1e-320, 1e-30, 1e-12, 1e-5])  # the first is a subnormal number
    x = rng.permutation(np.concatenate([[0.0, -0.0, 0.0, -0.0], tiny, -tiny]))
    for name in RULES:
        expect_ste(student, rng, name, x, x.astype("float32"), np.array(-0.0), np.array(0.0))


@check("sign_ste at and near x = -1 and x = 1", points=1, hidden=True)
def ends(student: Student, rng: np.random.Generator) -> None:
    """Exactly at -1 and 1, and as little beyond and before as the type allows or a little more."""
    points = []
    for dtype, step in (("float64", 1e-12), ("float32", 2e-7)):
        one = np.ones(1, dtype)
        close = np.concatenate([one, one + step, one - step, np.nextafter(one, 2 * one), np.nextafter(one, 0 * one)])
        x = np.concatenate([close, -close, ordinary(rng, 3, dtype=dtype)]).astype(dtype)
        points += [rng.permutation(x), one, -one, (one + step).astype(dtype), (-one - step).astype(dtype)]
    expect_ste(student, rng, "sign_ste", *points)


@check("Large numbers", points=1, hidden=True)
def large(student: Student, rng: np.random.Generator) -> None:
    """One size at a time: beside a number of 1e15 an error of one would not be seen."""
    signs = rng.choice([-1.0, 1.0], (4, 4))
    sizes = np.array([[1e3], [1e7], [1e17], [1e30]])
    big = signs * sizes * rng.uniform(1, 3, (4, 4))
    for name in RULES:
        expect_ste(student, rng, name, *big, *big.astype("float32"), np.array([1e100, -2e100]))


@check("Any shape, including single precision", points=0.75, hidden=True)
def shapes_and_types(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[int, ...]] = [(), (1,), (0,), (2, 0, 3), (3, 4), (2, 1, 3), (4, 2, 3)]
    for name in RULES:
        for dtype in ("float64", "float32"):
            points = [(1 if name == "round_ste" else 0.4) * ordinary(rng, *shape, dtype=dtype) for shape in shapes]
            expect_ste(student, rng, name, *(np.asarray(x, dtype=dtype) for x in points), holes=0.2)


@probe
def inside_a_network(student: Any, w: Any, v: Any) -> Any:
    """x is a result of other operations and has another consumer; both estimators are used, one twice."""
    import torch

    w = w.clone().requires_grad_()
    x = w * 1.5
    y = student.round_ste(x) * v[0] + student.sign_ste(x) * v[1] + x * x * v[2] + student.round_ste(2 * x) * v[3]
    (gradient,) = torch.autograd.grad((y * y).sum(), w)
    return [y.detach(), gradient]


@check("Within a longer computation, and without gradients", points=0.75, hidden=True)
def in_the_middle(student: Student, rng: np.random.Generator) -> None:
    w, v = inside_and_outside(rng) / 1.5, rng.normal(size=(4, 1))
    x = 1.5 * w
    y = np.rint(x) * v[0] + sign(x) * v[1] + x * x * v[2] + np.rint(2 * x) * v[3]
    slope = 1.5 * (v[0] + window(x) * v[1] + 2 * x * v[2] + 2 * v[3])
    answer: Any = student.run(inside_a_network, tensor(w), tensor(v))
    for name, value in RULES.items():
        plain, after = student.call_and_see(name, tensor(x))
        expect_close(plain, tensor(value[0](x)), f"{name} of a tensor that does not require grad", {"x": tensor(x)}, TENSOR)
        expect_unchanged({"x": tensor(x)}, after, name)
    shown = {"w": tensor(w), "v": tensor(v)}
    if not isinstance(answer, list) or len(answer) != 2:
        raise fail("The computation that uses both estimators returned no result.", "longer computation", shown)
    expect_close(answer[0], tensor(y), "The value of a longer computation", shown, TENSOR)
    expect_close(answer[1], tensor(2 * y * slope), "The gradient of a longer computation", shown, TENSOR)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    layouts = ("contiguous", "transposed", "strided")
    special = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 1 + 1e-6, -1 - 1e-6, 1 - 1e-6, 1e-30, 1e17, -3e30])
    points, plain = [], []
    for dtype in ("float64", "float32"):
        for _ in range(3):
            shape = tuple(int(size) for size in rng.integers(0, 4, size=int(rng.integers(0, 4))))
            usual = rng.choice([0.3, 1.0, 1e3]) * rng.normal(size=shape)
            x = np.asarray(np.where(rng.random(shape) < 0.4, rng.choice(special, shape), usual), dtype=dtype)
            g = np.asarray(rng.choice([0.0, 1.0, 1e6]) * rng.normal(size=shape), dtype=dtype)
            points.append([[tensor(x, layout=str(rng.choice(layouts)))], [tensor(g, layout=str(rng.choice(layouts)))]])
        plain.append(points[-1][0][0])
    for name in RULES:
        student.operate("function.vjp", points, name=name)
        for x in plain:
            student.call_and_see(name, x)
    student.run(inside_a_network, tensor(rng.normal(size=8)), tensor(rng.normal(size=(4, 1))))


# the functions whose slopes are sent back
forward_of("round_ste", lambda x: x * 1)
forward_of("sign_ste", lambda x: x.clamp(-1, 1))
