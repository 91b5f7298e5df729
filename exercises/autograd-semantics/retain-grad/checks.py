"""Chains of small steps, each with a derivative by hand in numpy. The probe counts the calls, and a step that is called twice
gives another result the second time.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    SINGLE,
    TENSOR,
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
from autograder.judge.diagnosis import raises, reads_as, symptom

Step = tuple[str, Numbers | None]  # the name of a step, and its parameter if it has one
Chain = list[Step]


@probe
def chained(student, steps, x, arrival, old):
    """Call the student's function with a chain; the gradients, the order of the calls, and which results retain theirs."""
    import torch

    operations = {
        "scale": lambda t, w: w * t,
        "matmul": lambda t, w: t @ w,
        "tanh": lambda t, w: torch.tanh(t),
        "polynomial": lambda t, w: t * t * t - w * t,
        "outer": lambda t, w: t * w + t.sum() * t,
        "rows": lambda t, w: t.sum(1),
        "flat": lambda t, w: t.reshape(-1),
        "first": lambda t, w: t[:1] * w,
        "double": lambda t, w: t.double(),
        "same": lambda t, w: t,
        "total": lambda t, w: (t * w).sum(),
    }
    calls, results = [], []

    def function(number, name, w):
        if w is not None:
            w.requires_grad_()

        def call(t):
            h = operations[name](t, w)
            if number in calls:
                h = h * 1.5
            calls.append(number)
            results.append(h)
            return h

        return call

    source = x.requires_grad_()
    if arrival == "result":
        x = source * 1
        x.retain_grad()
    if old:
        (x * 0.7).sum().backward(retain_graph=True)
    given = student.intermediate_grads([function(n, *step) for n, step in enumerate(steps)], x)
    return {
        "grads": list(given) if isinstance(given, (list, tuple)) else given,
        "type": type(given).__name__,
        "calls": calls,
        "retained": any(h.retains_grad for h in results),
    }


class Chained(msgspec.Struct):
    """`retained` says whether retain_grad was called on any result, which only the diagnosis uses."""

    grads: Any
    type: str
    calls: list[int]
    retained: bool


# the value of each step, and the gradient of its argument
STEPS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "scale": (lambda t, w: w * t, lambda g, t, w: g * w),
    "matmul": (lambda t, w: t @ w, lambda g, t, w: g @ w.T),
    "tanh": (lambda t, w: np.tanh(t), lambda g, t, w: g * (1 - np.tanh(t) ** 2)),
    "polynomial": (lambda t, w: t**3 - w * t, lambda g, t, w: g * (3 * t * t - w)),
    "outer": (lambda t, w: t * w + t.sum() * t, lambda g, t, w: g * (w + t.sum()) + (g * t).sum()),
    "rows": (lambda t, w: t.sum(1), lambda g, t, w: np.repeat(g[:, None], t.shape[1], 1)),
    "flat": (lambda t, w: t.reshape(-1), lambda g, t, w: g.reshape(t.shape)),
    "first": (lambda t, w: t[:1] * w, lambda g, t, w: np.concatenate([g * w, np.zeros_like(t[1:])])),
    "double": (lambda t, w: t.astype(np.float64), lambda g, t, w: g.astype(t.dtype)),
    "same": (lambda t, w: t, lambda g, t, w: g),
    "total": (lambda t, w: (t * w).sum(), lambda g, t, w: g * w),
}


def truth(steps: Chain, x: Numbers) -> list[Numbers]:
    """The gradient of the last result with respect to x and to every result."""
    results = [x]
    for name, w in steps:
        results.append(np.asarray(STEPS[name][0](results[-1], w)))
    grads = [np.ones_like(results[-1])]
    for (name, w), argument in zip(reversed(steps), reversed(results[:-1]), strict=True):
        grads.append(np.asarray(STEPS[name][1](grads[-1], argument, w)))
    return grads[::-1]


def reference(steps: Chain, x: Numbers) -> Reference:
    """The chain on tensors of the judge's own."""
    scope: dict[str, Any] = {}
    leaf, loss = torch.tensor(x, requires_grad=True), []

    class Chain:
        @staticmethod
        def intermediate_grads(fs: list[Callable[[Any], Any]], h: Any) -> list[Any]:
            for f in fs:
                h = f(h)
            loss.append(h)
            return []

    exec(chained.source, scope)
    scope["chained"](Chain, [(name, None if w is None else torch.tensor(w)) for name, w in steps], leaf, "leaf", False)
    return Reference(loss, {"x": leaf})


def expect_grads(student: Student, steps: Chain, x: Numbers, arrival: str = "leaf", *, old: bool = False) -> None:
    sent = [[name, None if w is None else tensor(w)] for name, w in steps]
    names = ", ".join(name for name, _ in steps)
    picture = show_backward(f"the chain {names}", partial(reference, steps, x))
    answer = student.run(chained, sent, tensor(x), arrival, old, returns=Chained)
    shown: dict[str, Any] = {"x": x, "the functions": names}
    if arrival == "result" or old:
        shown["x is"] = ("a leaf" if arrival == "leaf" else "a result") + (" with an old .grad" if old else "")
    what = "The order in which the functions were called"
    expect_equal(answer.calls, list(range(len(steps))), what, shown)
    if answer.type != "list" or not isinstance(answer.grads, list):
        raise fail(f"intermediate_grads should return a list, but returned a {answer.type[:60]}.", "the list", shown)
    expected = truth(steps, x)
    expect_equal(len(answer.grads), len(expected), "The number of gradients", shown)
    picture.answered({"x": answer.grads[0]})
    for k, (given, right) in reversed(list(enumerate(zip(answer.grads, expected, strict=True)))):
        what = f"The gradient of h{k}"
        if given is None:
            raise fail(f"{what} should be a tensor, but is {describe(given)}.", what, shown, expected=right)
        tolerance = SINGLE if right.dtype == np.float32 else TENSOR
        expect_close(given, torch.from_numpy(right), what, shown, tolerance, plain=True)


# -- what a wrong answer shows -----------------------------------------------------------------------------------------


def reading(answer: dict[str, Any], *_: Any) -> dict[str, Any]:
    """Whether gradients were retained matters only if some are missing."""
    return {**answer, "retained": answer["retained"] and None in answer["grads"]}


def equal(one: Any, other: Any) -> bool:
    """Two gradients, or two lists of gradients."""
    if isinstance(one, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return other is not None and np.allclose(to_numpy(one), to_numpy(other), rtol=1e-6, atol=1e-10)


def absent(gradient: Any) -> bool:
    """None, or zeros in its place."""
    return gradient is None or not to_numpy(gradient).any()


def unread(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """Gradients of results are missing, and that of x is right, contains an old one, or is missing, too."""
    return len(given["grads"]) == len(right["grads"]) and all(map(absent, given["grads"][1:]))


def cut(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """The last entries are right, and all before them, of which there are several, are missing."""
    first = next(k for k, gradient in enumerate(given["grads"]) if not absent(gradient))
    return len(given["grads"]) == len(right["grads"]) and first > 1 and equal(right["grads"][first:], given["grads"][first:])


def only_first_missing(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return absent(given["grads"][0]) and equal(right["grads"][1:], given["grads"][1:])


def old_by_reference(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """The gradient of x is zero where it had an old one, all others are right."""
    return given["grads"][0] is not None and only_first_missing(right, given)


def accumulated(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """The old gradient, a constant, is part of the first entry; the others are right."""
    extra = to_numpy(given["grads"][0]) - to_numpy(right["grads"][0])
    return equal(right["grads"][1:], given["grads"][1:]) and np.allclose(extra, 0.7, rtol=1e-5)


def recomputed(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return len(given["calls"]) > len(right["calls"])


def misplaced(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return equal(right["grads"][::-1], given["grads"])


def one_missing(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return equal(right["grads"][1:], given["grads"]) or equal(right["grads"][:-1], given["grads"])


def attached(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return equal(right["grads"], given["grads"]) and any(gradient.graph for gradient in given["grads"])


reads_as("chained", reading)
symptom("retain-after-backward", lambda right, given: unread(right, given) and given["retained"])
symptom("reads-nonleaf-grad", lambda right, given: unread(right, given) and not given["retained"])
symptom("detached-copy", cut, check="three-functions")
symptom("detached-copy", cut, check="several-uses")
symptom("detached-copy", cut, check="called-once")
for check_without_old in ("three-functions", "one-function", "several-uses", "result-of-an-operation", "called-once"):
    symptom("input-without-gradient", only_first_missing, check=check_without_old)
symptom("old-grad-by-reference", old_by_reference, check="old-gradient")
symptom("stale-accumulated-grad", accumulated)
symptom("recomputes-chain", recomputed)
symptom("not-reversed", misplaced)
symptom("missing-entry", one_missing)
symptom("returns-graph", attached)
symptom("graph-freed", raises("backward through the graph a second time"), raised=True)


# -- checks ------------------------------------------------------------------------------------------------------------


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    return np.asarray(rng.uniform(0.3, 1.2, size=shape) * rng.choice([-1.0, 1.0], size=shape))


def three(rng: np.random.Generator) -> Chain:
    return [("scale", numbers(rng, 4)), ("tanh", None), ("total", numbers(rng, 4))]


def four(rng: np.random.Generator) -> Chain:
    return [("matmul", numbers(rng, 3, 2)), ("polynomial", numbers(rng, 2)), ("rows", None), ("total", numbers(rng, 4))]


@check("A chain of three functions", points=2)
def three_functions(student: Student, rng: np.random.Generator) -> None:
    expect_grads(student, three(rng), numbers(rng, 4))


@check("A single function", points=1)
def one_function(student: Student, rng: np.random.Generator) -> None:
    expect_grads(student, [("total", numbers(rng, 3))], numbers(rng, 3))


@check("Functions that use their argument several times, select from it, or return it", points=1.5, hidden=True)
def several_uses(student: Student, rng: np.random.Generator) -> None:
    expect_grads(student, four(rng), numbers(rng, 4, 3))
    chain = [("outer", numbers(rng, 3)), ("same", None), ("polynomial", numbers(rng)), ("total", numbers(rng, 3))]
    expect_grads(student, chain, numbers(rng, 3))
    x = numbers(rng, 5)
    x[0], x[3] = 0.0, x[4]
    expect_grads(student, [("polynomial", numbers(rng)), ("first", numbers(rng)), ("total", numbers(rng, 1))], x)
    expect_grads(student, [("same", None), ("total", numbers(rng, 2)), ("tanh", None), ("same", None)], numbers(rng, 2))


@check("x is the result of an operation", points=1.5, hidden=True)
def result_of_an_operation(student: Student, rng: np.random.Generator) -> None:
    expect_grads(student, three(rng), numbers(rng, 4), "result")
    expect_grads(student, four(rng), numbers(rng, 4, 3), "result")
    expect_grads(student, [("total", numbers(rng, 2))], numbers(rng, 2), "result")


@check("x arrives with an old .grad", points=2, hidden=True)
def old_gradient(student: Student, rng: np.random.Generator) -> None:
    for arrival in ("leaf", "result"):
        expect_grads(student, three(rng), numbers(rng, 4), arrival, old=True)
        expect_grads(student, [("total", numbers(rng, 3))], numbers(rng, 3), arrival, old=True)


@check("Other shapes and dtypes", points=1, hidden=True)
def shapes_and_dtypes(student: Student, rng: np.random.Generator) -> None:
    expect_grads(student, [("tanh", None), ("scale", numbers(rng)), ("polynomial", numbers(rng))], numbers(rng))
    chain: Chain = [("flat", None), ("outer", numbers(rng, 6)), ("total", numbers(rng, 6))]
    expect_grads(student, chain, numbers(rng, 1, 2, 3))
    single = numbers(rng, 3).astype(np.float32)
    expect_grads(student, [("tanh", None), ("double", None), ("total", numbers(rng, 3))], single)
    expect_grads(student, [("scale", single.copy()), ("total", single * 2)], single, "result")


@check("Each function is called once", points=1, hidden=True)
def called_once(student: Student, rng: np.random.Generator) -> None:
    for _ in range(2):
        names = [str(name) for name in rng.choice(["scale", "tanh", "polynomial", "outer"], size=int(rng.integers(3, 7)))]
        chain: Chain = [(name, None if name == "tanh" else numbers(rng, 3)) for name in names]
        expect_grads(student, [*chain, ("total", numbers(rng, 3))], numbers(rng, 3))


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    """Chains of any length over steps that keep the shape, in any order; zeros and equal entries in x."""
    for arrival in ("leaf", "result"):
        for old in (False, True):
            n = int(rng.integers(1, 5))
            x = np.asarray(rng.choice([0.0, 1.0, rng.normal(), rng.normal()], size=n))
            names = rng.choice(["scale", "tanh", "polynomial", "outer", "flat", "same"], size=int(rng.integers(0, 5)))
            chain = [
                [str(name), tensor(numbers(rng, n)) if name in ("scale", "polynomial", "outer") else None] for name in names
            ]
            student.run(chained, [*chain, ["total", tensor(numbers(rng, n))]], tensor(x), arrival, old)
