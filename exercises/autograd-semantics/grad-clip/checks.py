"""Norms and scaled gradients are computed here with numpy in double precision. Gradients that must not change are compared bit
by bit.
"""

import math
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    Student,
    Tolerance,
    check,
    describe,
    expect,
    expect_close,
    expect_number,
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.diagnosis import raises, reads_as, symptom
from sandbox.wire import Array

CLOSE = Tolerance(1e-5, 1e-30)
NORM = Tolerance(1e-5, 1e-30)
Grads = list[Numbers | None]


@probe
def clipped(student, calls):
    """Call the function with parameters that have these gradients; what it returned, and what became of them."""
    import torch

    found = []
    for grads, max_norm, container, layout in calls:
        params = []
        for g in grads:
            p = torch.ones((2,) if g is None else g.shape, dtype=torch.float64 if g is None else g.dtype)
            params.append(p.requires_grad_())
            if g is not None and layout == "transposed":
                axes = tuple(range(g.dim()))[::-1]
                p.grad = g.permute(axes).clone(memory_format=torch.contiguous_format).permute(axes)
            elif g is not None:
                p.grad = g.clone()
        held = [p.grad for p in params]
        places = [None if g is None else g.data_ptr() for g in held]
        iterables = {
            "list": lambda: list(params),
            "tuple": lambda: tuple(params),
            "generator": lambda: (p for p in params),
            "dictionary": lambda: dict(enumerate(params)).values(),
        }
        norm = student.clip_global_norm_(iterables[container](), max_norm)
        found.append(
            {
                "norm": norm,
                "grads": [p.grad for p in params],
                "again": [None if p.grad is None else p.grad.clone() for p in params],
                "same": all(p.grad is g for p, g in zip(params, held)),
                "places": [None if p.grad is None else p.grad.data_ptr() for p in params] == places,
                "kept": all(bool((p.detach() == 1).all()) and p.requires_grad for p in params),
            }
        )
    return found


class Clipped(msgspec.Struct):
    """`same`: the gradients are the same objects; `places`: in the same memory; `kept`: the parameters have not changed."""

    norm: Any
    grads: list[Any]
    again: list[Any]
    same: bool
    places: bool
    kept: bool


@dataclass(frozen=True)
class Call:
    grads: Grads
    max_norm: float
    container: str = "list"
    layout: str = "contiguous"


def truth(grads: Grads, max_norm: float) -> tuple[float, Grads]:
    squares = [float(np.square(g, dtype="float64").sum()) for g in grads if g is not None]
    norm = math.sqrt(math.fsum(squares)) if all(map(math.isfinite, squares)) else math.nan
    if not norm > max_norm:
        return norm, grads
    return norm, [None if g is None else (g.astype("float64") * (max_norm / norm)).astype(g.dtype) for g in grads]


def expect_clipped(student: Student, *calls: Call) -> list[Clipped]:
    """Compare norms and gradients; the answers for further questions."""
    sent = [
        [[None if g is None else tensor(g) for g in call.grads], call.max_norm, call.container, call.layout]
        for call in calls
    ]
    answers = student.run(clipped, sent, returns=list[Clipped])
    lengths = [[len(a.grads), len(a.again)] for a in answers]
    if lengths != [[len(call.grads)] * 2 for call in calls]:
        raise fail("What clip_global_norm_ did could not be read.")
    for call, answer in zip(calls, answers, strict=True):
        norm, grads = truth(call.grads, call.max_norm)
        shown: dict[str, Any] = {f"gradient {n}": "None" if g is None else g for n, g in enumerate(call.grads, 1)}
        shown["max_norm"] = call.max_norm
        expect_norm(answer.norm, norm, shown)
        for n, (before, right) in enumerate(zip(call.grads, grads, strict=True), 1):
            for given in (answer.grads[n - 1], answer.again[n - 1]):
                what = f"Gradient {n} of {len(grads)} after the call"
                if right is None or before is None:
                    expect(given is None, f"{what} should still be None.", what, shown)
                elif norm > call.max_norm:
                    expect_close(given, tensor(right), what, shown, CLOSE)
                else:
                    expect_same_bits(given, before, what, shown)
        expect(answer.kept, "The parameters themselves should not change.", "parameters", shown)
    return answers


def expect_norm(given: Any, norm: float, shown: dict[str, Any]) -> None:
    what = "The norm that is returned"
    if type(given) is not float:
        raise fail(f"{what} should be a float, but is {describe(given)}.", what, shown, expected=norm, given=given)
    if math.isnan(norm):
        expect(not math.isfinite(given), f"{what} should be inf or nan, but is {given}.", what, shown, given=given)
    else:
        expect_number(given, norm, what, shown, NORM)


def expect_same_bits(given: Any, before: Numbers, what: str, shown: dict[str, Any]) -> None:
    if not isinstance(given, Array) or given.shape != before.shape or given.dtype != str(before.dtype):
        raise fail(f"{what} should be as before, but is {describe(given)}.", what, shown, expected=before, given=given)
    if to_numpy(given).tobytes() != before.tobytes():
        raise fail(f"{what} should have exactly the numbers that it had.", what, shown, expected=before, given=given)


def drawn(rng: np.random.Generator, shapes: list[tuple[int, ...]], norm: float, dtype: str = "float64") -> Grads:
    """Gradients of both signs with this norm together, up to rounding; every entry has its share."""
    grads = [np.asarray(rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape)) for shape in shapes]
    length = math.sqrt(sum(float((g * g).sum()) for g in grads))
    return [np.asarray(g * (norm / length), dtype=dtype) for g in grads]


SHAPES: list[tuple[int, ...]] = [(3,), (2, 2), ()]


@check("A large gradient is clipped, and its norm is returned", points=2)
def large(student: Student, rng: np.random.Generator) -> None:
    norm = float(rng.uniform(5, 50))
    expect_clipped(student, Call(drawn(rng, SHAPES, norm), norm * float(rng.uniform(0.1, 0.7))))


@check("A small gradient keeps its exact numbers", points=1)
def small(student: Student, rng: np.random.Generator) -> None:
    norm = float(rng.uniform(0.5, 2.0))
    expect_clipped(student, Call(drawn(rng, SHAPES, norm), norm * float(rng.uniform(1.5, 5.0))))


@check("Parameters without a gradient, and a generator", points=1)
def none_and_generator(student: Student, rng: np.random.Generator) -> None:
    first, *rest = drawn(rng, SHAPES, 10.0)
    expect_clipped(student, Call([first, None, *rest], 2.0, "generator"), Call([None, first], 1.0))


@check("Other shapes, sizes, dtypes and iterables", points=2, hidden=True)
def shapes_and_sizes(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[int, ...]] = [(), (1,), (0,), (2, 3), (2, 0, 3), (2, 1, 2)]
    calls = []
    for container in ("list", "tuple", "generator", "dictionary"):
        scale = float(rng.choice([2.5, 1e3, 1e9]))
        for dtype in ("float64", "float32"):
            max_norm = float(rng.uniform(0.2, 0.8)) * scale
            calls.append(
                Call(drawn(rng, shapes, scale, dtype), max_norm, container, str(rng.choice(["contiguous", "transposed"])))
            )
    calls.append(Call(drawn(rng, [()], 7.0), float(rng.uniform(1, 6))))
    uneven = drawn(rng, [(2,)], 1e4) + drawn(rng, [(2, 2)], 1e-3)  # by itself, the second would not be too long
    calls.append(Call(uneven, float(rng.uniform(0.5, 10))))
    calls += [Call(drawn(rng, SHAPES, size, dtype), 0.7) for size in (1e-9, 1e-3) for dtype in ("float64", "float32")]
    expect_clipped(student, *calls)


@check("The gradients are the same tensors in the same memory", points=1, hidden=True)
def in_place(student: Student, rng: np.random.Generator) -> None:
    calls = [
        Call(drawn(rng, SHAPES, norm), 1.0, layout=layout) for norm in (0.5, 20.0) for layout in ("contiguous", "transposed")
    ]
    for answer in expect_clipped(student, *calls):
        expect(answer.same, "Every .grad should be the same tensor object as before.", ".grad")
        expect(answer.places, "Every .grad should be in the same memory as before.", ".grad")


@check("Nothing to clip: zeros, no gradients, and a norm exactly at the limit", points=1.5, hidden=True)
def nothing_to_clip(student: Student, rng: np.random.Generator) -> None:
    power = float(2.0 ** rng.integers(-3, 4))
    at_the_limit: list[Grads] = [
        [np.array([3.0, -4.0]) * power],
        [np.array([[3.0], [0.0]]) * power, np.array(-4.0) * power],
        [np.array([-3.0], "float32") * np.float32(power), np.array([4.0, -0.0], "float32") * np.float32(power)],
    ]
    calls = [Call(grads, 5.0 * power) for grads in at_the_limit]
    calls += [Call([np.zeros(3), np.array(-0.0)], float(rng.uniform(0.5, 2))), Call([np.zeros((0,))], 1.0)]
    calls += [Call([], 1.0), Call([], 1.0, "generator"), Call([None, None], 1.0, "tuple")]
    expect_clipped(student, *calls)


@check("inf and nan change nothing", points=1.5, hidden=True)
def nonfinite(student: Student, rng: np.random.Generator) -> None:
    calls = []
    for bad in ([math.inf], [-math.inf], [math.nan], [math.inf, math.nan], [math.inf, -math.inf]):
        for norm in (0.1, 30.0):
            grads = drawn(rng, [(3,), (2, 2), ()], norm, str(rng.choice(["float32", "float64"])))
            for n, value in enumerate(bad):
                g = grads[(n + len(calls)) % 2]
                assert g is not None
                g.flat[int(rng.integers(g.size))] = value
            calls.append(Call(grads, 1.0))
    expect_clipped(student, *calls)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    sent = []
    for container in ("list", "tuple", "generator", "dictionary"):
        shapes = [
            tuple(int(n) for n in rng.integers(0, 4, size=int(rng.integers(0, 4)))) for _ in range(int(rng.integers(0, 4)))
        ]
        dtype = str(rng.choice(["float32", "float64"]))
        values = [np.asarray(rng.normal(size=shape) * (rng.random(shape) < 0.8), dtype=dtype) for shape in shapes]
        for g in values:
            if g.size and rng.random() < 0.15:
                g.flat[0] = rng.choice([math.inf, -math.inf, math.nan])
        grads = [None if rng.random() < 0.2 else tensor(g) for g in values]
        sent.append([grads, float(rng.choice([0.5, 2.0, 100.0])), container, str(rng.choice(["contiguous", "transposed"]))])
    student.run(clipped, sent, returns=list[Clipped])


# -- what the diagnosis can tell from wrong answers ----------------------------------------------------------------------


def reading(answers: list[dict[str, Any]], calls: list[Any]) -> list[dict[str, Any]]:
    """The answers, with the gradients before and the limit, which are the same on both sides. inf is as good as nan."""
    found = []
    for answer, (grads, max_norm, *_) in zip(answers, calls, strict=True):
        norm = answer["norm"]
        norm = "not finite" if type(norm) is float and not math.isfinite(norm) else norm
        found.append({**answer, "norm": norm, "before": grads, "max_norm": max_norm, "places": answer["places"]})
    return found


def entries(grads: list[Any]) -> Numbers:
    parts = [to_numpy(g).astype("float64").ravel() for g in grads if g is not None]
    return np.concatenate(parts) if parts else np.zeros(0)


def same_norms(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return all(
        a["norm"] == b["norm"] or math.isclose(a["norm"], b["norm"], rel_tol=1e-5) for a, b in zip(right, given, strict=True)
    )


def alike(one: Numbers, other: Numbers) -> bool:
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-5, atol=1e-30, equal_nan=True))


def same_grads(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return all(alike(entries(a["grads"]), entries(b["grads"])) for a, b in zip(right, given, strict=True))


def one_by_one(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    """Every gradient is as if it had been alone."""
    if same_grads(right, given):
        return False
    for a, b in zip(right, given, strict=True):
        alone = [None if g is None else truth([to_numpy(g)], a["max_norm"])[1][0] for g in a["before"]]
        if not alike(entries(alone), entries(b["grads"])):
            return False
    return True


def clamped(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    limits = [(entries(a["before"]), a["max_norm"], entries(b["grads"])) for a, b in zip(right, given, strict=True)]
    return not same_grads(right, given) and all(
        alike(np.clip(before, -limit, limit), mine) for before, limit, mine in limits
    )


def changed_below(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    """What should have kept its bits has other numbers, and what had to be clipped is right."""
    wrong = [a for a, b in zip(right, given, strict=True) if entries(a["grads"]).tobytes() != entries(b["grads"]).tobytes()]
    return bool(wrong) and all(
        alike(entries(a["grads"]), entries(a["before"])) or alike(entries(a["grads"]), entries(b["grads"]))
        for a, b in zip(right, given, strict=True)
    )


def at_most_the_limit(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    pairs = [(a["norm"], b["norm"], a["max_norm"]) for a, b in zip(right, given, strict=True)]
    if same_norms(right, given) or not same_grads(right, given):
        return False
    return all(math.isclose(b, min(a, limit), rel_tol=1e-5) for a, b, limit in pairs)


def as_tensors(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return any(isinstance(b["norm"], Array) for b in given) and same_grads(right, given)


def untouched(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    """Where numbers are wrong, they are those from before."""
    pairs = [(entries(a["grads"]), entries(b["grads"]), entries(a["before"])) for a, b in zip(right, given, strict=True)]
    return same_norms(right, given) and all(alike(a, b) or alike(b, before) for a, b, before in pairs)


def replaced(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return same_grads(right, given) and not all(b["same"] and b["places"] for b in given)


reads_as("clipped", reading)
symptom("rebinds-grad", replaced, check="in-place")
symptom("tensor-not-float", as_tensors)
symptom("norm-after-clip", at_most_the_limit)
symptom("per-parameter-norm", one_by_one)
symptom("value-clip", clamped)
symptom("iterates-twice", untouched, check="none-and-generator")
symptom("iterates-twice", untouched, check="shapes-and-sizes")
symptom("nonfinite-poisons", lambda right, given: not same_grads(right, given), check="nonfinite")
symptom("nonfinite-raises", raises("finite", "nan", "inf"), check="nonfinite", raised=True)
symptom("none-grad-crash", raises("NoneType"), raised=True)
for place in ("small", "nothing-to-clip"):
    symptom("rescales-up", changed_below, check=place)
