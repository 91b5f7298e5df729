"""Functions whose derivatives of every order are known by formula, computed here with numpy."""

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import Student, Tolerance, check, expect, expect_close, fail, probe, tensor, variety
from autograder.judge.diagnosis import raises, reads_as, symptom

CLOSE = Tolerance(1e-7, 1e-10)
LAYOUTS = ("contiguous", "transposed", "strided")


@probe
def derived(student, cases):
    """Call nth_derivative for every case `(name, x, n, weights, how)`: the result, the gradient of the weighted result if x
    requires grad, and whether x and a tensor inside f are as they were."""
    import torch

    answers = []
    for name, x, n, weights, how in cases:
        learned = torch.full_like(x, 2.0).requires_grad_()
        functions = {
            "sin": lambda t: torch.sin(t),
            "exp": lambda t: torch.exp(t),
            "sin(2x) exp(x)": lambda t: torch.sin(2 * t) * torch.exp(t),
            "3x": lambda t: 3 * t,
            "x + 1": lambda t: t + 1,
            "x": lambda t: t,
            "x**2": lambda t: t**2,
            "x * x": lambda t: t * t,
            "x**3 - 4x": lambda t: t**3 - 4 * t,
            "x**6": lambda t: (t * t) ** 3,
            "1 / x": lambda t: 1 / t,
            "ones": lambda t: torch.ones_like(t),
            "a detached copy": lambda t: t.detach() ** 2,
            "x - x": lambda t: t - t,
            "c * x**2, c learned": lambda t: learned * t**2,
            "c * c, c learned": lambda t: learned * learned,
        }
        f = functions[name]
        leaf = x
        if how in ("leaf", "computed"):
            leaf.requires_grad_()
            leaf.grad = torch.full_like(x, 0.5)
        given = 2 * leaf if how == "computed" else leaf
        result = student.nth_derivative(f, given, n)
        kept = learned.grad is None and leaf.requires_grad == (how != "plain")
        kept = kept and (leaf.grad is None if how == "plain" else leaf.grad is not None and bool((leaf.grad == 0.5).all()))
        grad, connected = None, False
        if how != "plain" and torch.is_tensor(result):
            connected = result.requires_grad
            if connected:
                (grad,) = torch.autograd.grad(result, leaf, weights, allow_unused=True)
        # nested forward mode may return a tensor of zeros without memory
        result = result.detach().clone() if torch.is_tensor(result) else result
        answers.append({"result": result, "grad": grad, "connected": connected, "kept": kept})
    return answers


class Derived(msgspec.Struct):
    """What the probe says about one case."""

    result: Any
    grad: Any
    connected: bool
    kept: bool


def power(k: int, factor: float = 1.0) -> Callable[[Numbers, int], Numbers]:
    """The derivatives of factor * x**k."""

    def derivative(x: Numbers, n: int) -> Numbers:
        return factor * factorial(k) / factorial(k - n) * x ** (k - n) if n <= k else np.zeros_like(x)

    return derivative


ROOT = 5**0.5  # sin(2x) exp(x) is the imaginary part of exp((1 + 2i) x), and ROOT the absolute value of 1 + 2i
# the derivative of order n of every function
DERIVATIVES: dict[str, Callable[[Numbers, int], Numbers]] = {
    "sin": lambda x, n: np.sin(x + n * np.pi / 2),
    "exp": lambda x, n: np.exp(x),
    "sin(2x) exp(x)": lambda x, n: ROOT**n * np.exp(x) * np.sin(2 * x + n * np.arctan(2.0)),
    "3x": power(1, 3.0),
    "x + 1": lambda x, n: x + 1 if n == 0 else power(1)(x, n),
    "x": power(1),
    "x**2": power(2),
    "x * x": power(2),
    "x**3 - 4x": lambda x, n: power(3)(x, n) - power(1, 4.0)(x, n),
    "x**6": power(6),
    "1 / x": lambda x, n: (-1) ** n * factorial(n) / x ** (n + 1),
    "ones": power(0),
    "a detached copy": lambda x, n: x**2 if n == 0 else np.zeros_like(x),
    "x - x": lambda x, n: np.zeros_like(x),
    "c * x**2, c learned": power(2, 2.0),
    "c * c, c learned": power(0, 4.0),
}
CURVED = ("sin", "exp", "sin(2x) exp(x)")
POLYNOMIALS = ("3x", "x + 1", "x", "x**2", "x * x", "x**3 - 4x")
CONSTANTS = ("ones", "a detached copy", "x - x", "c * c, c learned")


@dataclass(frozen=True)
class Case:
    """One call. The leaf holds half of x where x is computed from it."""

    name: str
    x: Numbers
    n: int
    weights: Numbers
    how: str = "plain"

    @property
    def sent(self) -> list[Any]:
        return [self.name, np.asarray(self.x / 2) if self.how == "computed" else self.x, self.n, self.weights, self.how]


def case(rng: np.random.Generator, name: str, n: int, how: str = "plain", shape: tuple[int, ...] = (4,)) -> Case:
    x, weights = (rng.choice([-1.0, 1.0], shape) * rng.uniform(0.4, 1.6, shape) for _ in range(2))
    return Case(name, np.asarray(x), n, np.asarray(weights), how)


def expect_derivatives(student: Student, cases: list[Case]) -> None:
    layouts = [LAYOUTS[k % 3] for k in range(len(cases))]
    sent = [
        [tensor(part, layout=layout) if isinstance(part, np.ndarray) else part for part in c.sent]
        for c, layout in zip(cases, layouts, strict=True)
    ]
    answers = student.run(derived, sent, returns=list[Derived])
    expect(len(answers) == len(cases), "The results of nth_derivative could not be read.")
    for c, answer in zip(cases, answers, strict=True):
        expect_derivative(c, answer)


def expect_derivative(c: Case, answer: Derived) -> None:
    shown: dict[str, Any] = {"f": c.name, "x": c.x, "n": c.n}
    what = f"The derivative of order {c.n} of f(x) = {c.name}"
    expect_close(answer.result, tensor(np.asarray(DERIVATIVES[c.name](c.x, c.n))), what, shown, CLOSE)
    expect(answer.kept, "nth_derivative changed .grad or requires_grad of x or of a tensor that f uses.", what, shown)
    if c.how == "plain":
        return
    slope = np.asarray(DERIVATIVES[c.name](c.x, c.n + 1))
    if c.name == "a detached copy":
        slope = np.zeros_like(c.x)
    truth = c.weights * slope * (2 if c.how == "computed" else 1)
    shown["upstream"] = c.weights
    what = f"The gradient of the derivative of order {c.n} of f(x) = {c.name}"
    if not truth.any() and answer.grad is None:
        return
    if not answer.connected:
        message = f"{what} cannot be computed: the result has no graph, although x requires grad."
        raise fail(message, what, shown, expected=tensor(truth))
    if answer.grad is None:
        raise fail(f"{what} is missing: the result does not depend on x.", what, shown, expected=tensor(truth))
    expect_close(answer.grad, tensor(truth), what, shown, CLOSE)


@check("Derivatives of the sine and of an exponential", points=2)
def curved(student: Student, rng: np.random.Generator) -> None:
    expect_derivatives(student, [case(rng, name, n) for name in ("sin", "sin(2x) exp(x)") for n in (0, 1, 2, 3)])


@check("Derivatives of a polynomial, and the gradient of a derivative", points=2)
def polynomial(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, "x**3 - 4x", n) for n in (1, 2, 3, 4)]
    expect_derivatives(student, [*cases, case(rng, "sin", 2, "leaf"), case(rng, "x**3 - 4x", 1, "leaf")])


@check("All orders up to 6", points=1.5, hidden=True, seconds=1)
def all_orders(student: Student, rng: np.random.Generator) -> None:
    orders = {"sin": (2, 4, 6), "exp": (3, 5), "sin(2x) exp(x)": (0, 4), "x**6": (3, 6), "1 / x": (2, 4)}
    asked = [(name, n) for name, found in orders.items() for n in found]
    expect_derivatives(student, [case(rng, name, n, ("plain", "leaf")[k % 2]) for k, (name, n) in enumerate(asked)])


@check(
    "Derivatives that vanish", points=1.5, hidden=True, seconds=1, fixed="a derivative of high order of a polynomial is 0"
)
def vanishing(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, name, n, how) for name in POLYNOMIALS for n, how in ((2, "plain"), (3, "leaf"))]
    cases += [case(rng, "x**3 - 4x", 4, how) for how in ("plain", "leaf", "computed")]
    cases += [case(rng, name, n, how) for name in CONSTANTS for n, how in ((1, "plain"), (2, "leaf"), (1, "computed"))]
    expect_derivatives(student, [*cases, case(rng, "x**2", 6, "leaf"), case(rng, "ones", 5, "leaf")])


@check("Low orders of polynomials and constants", points=1, hidden=True, seconds=1)
def low_orders(student: Student, rng: np.random.Generator) -> None:
    names = (*POLYNOMIALS, *CONSTANTS, "c * x**2, c learned")
    expect_derivatives(student, [case(rng, name, n, how) for name in names for n in (0, 1) for how in ("plain", "leaf")])


@check("The gradient of the result", points=1, hidden=True, seconds=1)
def gradient_of_the_result(student: Student, rng: np.random.Generator) -> None:
    names = (*CURVED, "x**3 - 4x", "x**2", "c * x**2, c learned")
    expect_derivatives(
        student, [case(rng, name, n, how) for name in names for n, how in ((0, "leaf"), (1, "computed"), (2, "leaf"))]
    )


@check("Any shape, and zeros", points=1, hidden=True, seconds=1)
def shapes(student: Student, rng: np.random.Generator) -> None:
    sizes: list[tuple[int, ...]] = [(), (1,), (0,), (2, 0), (2, 3), (2, 1, 2)]
    names = ("sin", "x**2", "ones")
    cases = [case(rng, name, n, how, shape) for shape in sizes for name in names for n, how in ((1, "leaf"), (3, "plain"))]
    for name in ("sin", "sin(2x) exp(x)", "x**2", "x * x", "x**3 - 4x", "x**6"):
        for n in (1, 2, 3):
            c = case(rng, name, n, ("plain", "leaf", "computed")[n - 1])
            c.x[:2], c.weights[1:3] = (0.0, -0.0), (0.0, -0.0)
            cases.append(c)
    expect_derivatives(student, cases)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    asked = []
    for name in rng.choice(list(DERIVATIVES), size=6, replace=False):
        shape = tuple(int(size) for size in rng.integers(0, 4, size=int(rng.integers(0, 3))))
        c = case(
            rng,
            str(name),
            int(rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 6])),
            str(rng.choice(["plain", "leaf", "computed"])),
            shape,
        )
        c.x[...] *= 1.0 if name == "1 / x" else rng.random(shape) < 0.8
        asked.append([tensor(part) if isinstance(part, np.ndarray) else part for part in c.sent])
    student.run(derived, asked, returns=list[Derived])
    c = case(rng, str(rng.choice(CURVED)), 2)
    student.run(
        derived, [[tensor(part) if isinstance(part, np.ndarray) else part for part in c.sent]], returns=list[Derived]
    )


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


def reading(answer: list[dict[str, Any]], cases: Any) -> list[dict[str, Any]]:
    """A gradient of zeros is as good as none, and a graph that leads nowhere as good as no graph."""
    found = []
    for entry in answer:
        flat = entry["grad"] is None or not hasattr(entry["grad"], "dtype") or not to_numpy(entry["grad"]).any()
        found.append({"result": entry["result"], "grad": None if flat else entry["grad"], "kept": entry["kept"]})
    return found


def without_graph(right: Any, given: Any) -> bool:
    """All results are right, and only gradients of results are missing."""
    lost = [mine["grad"] is None and truth["grad"] is not None for truth, mine in zip(right, given, strict=True)]
    same = [_same(truth["result"], mine["result"]) for truth, mine in zip(right, given, strict=True)]
    return any(lost) and all(same) and all(entry["kept"] for entry in given)


def _same(left: Any, right: Any) -> bool:
    return left.shape == right.shape and bool(np.allclose(to_numpy(left), to_numpy(right), rtol=1e-6))


reads_as("derived", reading)
symptom("graphless-result", without_graph)
symptom("writes-grad", lambda right, given: any(not entry["kept"] for entry in given))
for where in ("vanishing", "low-orders"):
    symptom("crash-when-constant", raises("does not require grad", "not to have been used"), check=where, raised=True)
for where in ("curved", "all-orders"):
    symptom("missing-create-graph", raises("does not require grad"), check=where, raised=True)
