"""Values, flags and gradients for every set of used outputs and of inputs that require grad, through the engine and directly."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import (
    SINGLE,
    TENSOR,
    Student,
    check,
    describe,
    expect,
    expect_close,
    fail,
    probe,
    tensor,
    variety,
)
from autograder.judge.diagnosis import raises, symptom
from sandbox.wire import Array

LAYOUTS = ("contiguous", "transposed", "strided")
OUTPUTS = ("p", "q", "above")
INPUTS = ("x", "w", "k")


@probe
def pulled(student, points, needs, direct):
    """Apply Multi at every point `(x, w, k, gp, gq)`, and only then pull its gradients. `needs` has one of "xw", "x", "w" and
    "same" for every point. Directly, what backward returns; otherwise, what the engine delivers to x and w."""
    import torch

    applied = []
    for (x, w, k, _, _), need in zip(points, needs):
        x.requires_grad_(need != "w")
        w.requires_grad_(need in ("w", "xw"))
        applied.append(student.Multi.apply(x, x if need == "same" else w, k))
    answers = []
    for (x, w, _, *upstreams), outputs in zip(points, applied):
        outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
        flags = [y.requires_grad for y in outputs if torch.is_tensor(y)]
        if direct:
            grads = outputs[0].grad_fn.apply(*upstreams, None)
            grads = list(grads) if isinstance(grads, (tuple, list)) else [grads]
        else:
            used = [(y, g) for y, g in zip(outputs, upstreams) if g is not None]
            wanted = [t for t in (x, w) if t.requires_grad]
            found = torch.autograd.grad([y for y, _ in used], wanted, [g for _, g in used], allow_unused=True)
            arriving = iter(found)
            grads = [next(arriving) if t.requires_grad else None for t in (x, w)]
        answers.append({"outputs": outputs, "flags": flags, "grads": grads})
    return answers


class Pulled(msgspec.Struct):
    """What the probe says about one point."""

    outputs: list[Any]
    flags: list[bool]
    grads: list[Any]


@dataclass(frozen=True)
class Point:
    """One call of Multi and what is pulled through it. An upstream of None belongs to an output that is not used."""

    x: Numbers
    w: Numbers
    k: int
    gp: Numbers | None
    gq: Numbers | None
    need: str = "xw"

    @property
    def shown(self) -> dict[str, Any]:
        upstreams = {"upstream of p": self.gp, "upstream of q": self.gq}
        return {"x": self.x, "w": self.w, "k": self.k, **{name: g for name, g in upstreams.items() if g is not None}}

    @property
    def truth(self) -> tuple[list[Numbers], list[Numbers | None]]:
        """The values, and the gradients of x, w and k."""
        w = self.x if self.need == "same" else self.w
        values = [self.k * self.x * w, np.sin(self.x), np.asarray(self.x > w, self.x.dtype)]
        of_x = [] if self.gp is None else [self.gp * self.k * w]
        of_x += [] if self.gq is None else [self.gq * np.cos(self.x)]
        of_x += [] if self.need != "same" or self.gp is None else [self.gp * self.k * self.x]
        dx = sum(of_x[1:], of_x[0]) if of_x and self.need != "w" else None
        dw = self.gp * self.k * self.x if self.gp is not None and self.need in ("w", "xw") else None
        return values, [dx, dw, None]


def sent(points: list[Point]) -> list[Any]:
    """The points in all memory layouts."""
    found = []
    for n, point in enumerate(points):
        x, w = tensor(point.x, layout=LAYOUTS[n % 3]), tensor(point.w, layout=LAYOUTS[(n + 1) % 3])
        upstreams = [None if g is None else tensor(g, layout=LAYOUTS[(n + 2) % 3]) for g in (point.gp, point.gq)]
        found.append([x, w, point.k, *upstreams])
    return found


def expect_pulled(student: Student, points: list[Point], *, direct: bool = False) -> None:
    answers = student.run(pulled, sent(points), [point.need for point in points], direct, returns=list[Pulled])
    if len(answers) != len(points):
        raise fail("The results of Multi could not be read.")
    for point, answer in zip(points, answers, strict=True):
        expect_values(point, answer)
        expect_gradients(point, answer.grads, direct)


def expect_values(point: Point, answer: Pulled) -> None:
    values, _ = point.truth
    tolerance = TENSOR if point.x.dtype == np.float64 else SINGLE
    if len(answer.outputs) != 3:
        raise fail(f"Multi.apply should return 3 tensors, but returned {len(answer.outputs)}.", "the outputs", point.shown)
    for name, given, truth in zip(OUTPUTS, answer.outputs, values, strict=True):
        expect_close(given, tensor(truth), f"The value of {name}", point.shown, tolerance)
    expect(answer.flags[:2] == [True, True], "p and q should require grad, but do not.", "requires_grad", point.shown)
    message = "above should not require grad, but does."
    expect(answer.flags[2:] == [False], message, "requires_grad of above", point.shown)


def expect_gradients(point: Point, given: list[Any], direct: bool) -> None:
    _, grads = point.truth
    used = " and ".join(name for name, g in (("p", point.gp), ("q", point.gq)) if g is not None) or "no output"
    who = {"x": "only x requires grad", "w": "only w requires grad", "same": "x is passed twice"}.get(point.need, "")
    where = f"with {used} used" + (f", where {who}" if who else "")
    if direct and len(given) != 3:
        message = f"backward of Multi should return 3 values, one for each argument of forward, but returned {len(given)}."
        raise fail(message, "the values that backward returns", point.shown)
    if not direct and len(given) != 2:
        raise fail("The gradients of Multi could not be read.")
    tolerance = TENSOR if point.x.dtype == np.float64 else SINGLE
    for name, mine, truth in zip(INPUTS, given, grads, strict=False):
        what = f"What backward returns for {name}" if direct else f"The gradient with respect to {name}"
        if truth is not None:
            expect_close(mine, tensor(truth), f"{what}, {where},", point.shown, tolerance)
        elif mine is not None:
            raise fail(
                f"{what}, {where}, should be None, but is {describe(mine)}.", f"{what}, {where}", point.shown, given=mine
            )


def numbers(rng: np.random.Generator, *shape: int, dtype: str = "float64") -> Numbers:
    return np.asarray(rng.choice([-1.0, 1.0], shape) * rng.uniform(0.5, 2.0, shape), dtype=dtype)


def point_at(
    rng: np.random.Generator, *shape: int, k: int, used: str = "pq", need: str = "xw", dtype: str = "float64"
) -> Point:
    x, w, gp, gq = (numbers(rng, *shape, dtype=dtype) for _ in range(4))
    return Point(x, w, k, gp if "p" in used else None, gq if "q" in used else None, need)


def subsets(rng: np.random.Generator, uses: tuple[str, ...]) -> Iterator[Point]:
    """Every set of used outputs with every set of inputs that require grad."""
    for used, need in product(uses, ("xw", "x", "w")):
        yield point_at(rng, 4, k=int(rng.choice([1, 3, -2])), used=used, need=need)


def special(rng: np.random.Generator) -> list[Point]:
    """Zeros of both signs in every number next to ordinary ones, ties of x and w, and k = 0; also huge and tiny numbers."""
    x, w, gp, gq = (numbers(rng, 3, 3, 3, 3) for _ in range(4))
    for axis, values in enumerate((x, w, gp, gq)):
        rows = np.moveaxis(values, axis, 0)
        rows[0], rows[1] = 0.0, -0.0
    ties = numbers(rng, 5)
    apart = ties.copy()
    apart[0], apart[1] = np.nextafter(apart[0], 9.0), np.nextafter(apart[1], -9.0)
    found = [Point(x, w, int(rng.choice([2, -3])), gp, gq), Point(ties, apart, 1, ties * 2, ties * 3)]
    found.append(point_at(rng, 3, k=0))
    for size in (1e-80, 1e80):
        x, w, gp, gq = (numbers(rng, 3) for _ in range(4))
        found.append(Point(x, w * size, 3, gp, gq * size))
    return found


@check("Values of the three outputs", points=1.5)
def values(student: Student, rng: np.random.Generator) -> None:
    points = [point_at(rng, 5, k=3), point_at(rng, 2, 3, k=1)]
    answers = student.run(pulled, sent(points), ["xw", "xw"], False, returns=list[Pulled])
    for point, answer in zip(points, answers, strict=False):
        expect_values(point, answer)
    expect(len(answers) == 2, "The results of Multi could not be read.")


@check("Gradients when p and q are both used", points=2)
def both_used(student: Student, rng: np.random.Generator) -> None:
    expect_pulled(student, [point_at(rng, 4, k=3), point_at(rng, 2, 3, k=1)])


@check("What backward returns, for both outputs and for one", points=2)
def direct_simple(student: Student, rng: np.random.Generator) -> None:
    points = [point_at(rng, 4, k=3), *(point_at(rng, 4, k=3, used=used, need=need) for used in "pq" for need in ("xw", "x"))]
    expect_pulled(student, points, direct=True)


@check("Every combination of used outputs and inputs that require grad", points=2, hidden=True)
def every_subset(student: Student, rng: np.random.Generator) -> None:
    expect_pulled(student, [*subsets(rng, ("pq", "p", "q")), point_at(rng, 4, k=3, need="same")])


@check("backward called directly, with None for outputs that are not used", points=2.5, hidden=True)
def direct_subsets(student: Student, rng: np.random.Generator) -> None:
    expect_pulled(student, list(subsets(rng, ("pq", "p", "q", ""))), direct=True)


@check("Second derivatives of p and q", points=2, hidden=True)
def second_order(student: Student, rng: np.random.Generator) -> None:
    points = [point_at(rng, 4, k=3), *special(rng)]
    points += [point_at(rng, 2, 3, k=-2, used=used) for used in ("p", "q")]
    weights = [(numbers(rng, *point.x.shape), numbers(rng, *point.x.shape)) for point in points]
    weights[1][0].flat[::5], weights[1][1].flat[::7] = 0.0, -0.0
    asked = [
        [[point.x, point.w, point.k], [point.gp, point.gq, None], [*both, None]]
        for point, both in zip(points, weights, strict=True)
    ]
    answers = student.operate("function.second_vjp", torched(asked), name="Multi")
    if not isinstance(answers, list) or len(answers) != len(points):
        raise fail("The second derivatives of Multi could not be read.")
    names = ("x", "w", "k", "the upstream gradient of p", "the upstream gradient of q", "the upstream gradient of above")
    for point, (of_x, of_w), answer in zip(points, weights, answers, strict=True):
        shown = point.shown | {"weights of dx": of_x, "weights of dw": of_w}
        if not isinstance(answer, list) or len(answer) != 6:
            raise fail("A second derivative of Multi could not be read.", "second derivative", shown)
        for name, given, truth in zip(names, answer, second_derivatives(point, of_x, of_w), strict=True):
            given = tensor(np.zeros(truth.shape)) if given is None and truth is not None else given
            if truth is not None:
                expect_close(given, truth, f"The second derivative with respect to {name}", shown)


def torched(value: Any) -> Any:
    """Nested lists with tensors for arrays."""
    if isinstance(value, list):
        return [torched(item) for item in value]
    return tensor(value) if isinstance(value, np.ndarray) else value


def second_derivatives(point: Point, of_x: Numbers, of_w: Numbers) -> list[torch.Tensor | None]:
    """The gradient of the weighted gradients, by autograd on the formulas of p and q."""
    x, w = (torch.from_numpy(t).requires_grad_() for t in (point.x, point.w))
    gp, gq = (None if g is None else torch.from_numpy(g).requires_grad_() for g in (point.gp, point.gq))
    weighted = torch.zeros((), dtype=torch.float64)
    for y, g in ((point.k * x * w, gp), (x.sin(), gq)):
        if g is not None:
            weighted = weighted + (y * g).sum()
    first = torch.autograd.grad(weighted, (x, w), create_graph=True, materialize_grads=True)
    total = (first[0] * torch.from_numpy(of_x)).sum() + (first[1] * torch.from_numpy(of_w)).sum()
    leaves = [leaf for leaf in (x, w, gp, gq) if leaf is not None]
    found = dict(zip(map(id, leaves), torch.autograd.grad(total, leaves, materialize_grads=True), strict=True))
    return [found[id(x)], found[id(w)], None, found.get(id(gp)), found.get(id(gq)), None]


@check("Any shape, special values, and single precision", points=2, hidden=True)
def shapes_and_types(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[int, ...]] = [(), (1,), (0,), (2, 0), (2, 1, 3), (3, 3)]
    points = [point_at(rng, *shape, k=int(rng.choice([1, 3, 5, -4]))) for shape in shapes]
    points += [point_at(rng, *shape, k=3, dtype="float32") for shape in ((4,), (), (2, 0))]
    expect_pulled(student, [*points, *special(rng)])
    expect_pulled(student, [*points[:4], *special(rng)], direct=True)


@probe
def edited_in_between(student, x, w, g):
    """Forward, then x or w is edited in place, then backward through p: the error's type, or the gradients that came out."""
    import torch

    answers = []
    for place in range(2):
        leaves = [x.clone().requires_grad_(), w.clone().requires_grad_()]
        inputs = [leaf * 1 for leaf in leaves]
        p, _, _ = student.Multi.apply(*inputs, 3)
        with torch.no_grad():
            inputs[place].mul_(2)
        try:
            grads = torch.autograd.grad(p, leaves, g)
        except RuntimeError:
            answers.append({"raised": "RuntimeError", "grad": None})
        else:
            answers.append({"raised": None, "grad": grads[1 - place]})
    return answers


@check("An input modified in place before backward: an error, not a wrong gradient", points=1, hidden=True)
def edited(student: Student, rng: np.random.Generator) -> None:
    x, w, g = (numbers(rng, 3) for _ in range(3))
    answers = student.run(edited_in_between, tensor(x), tensor(w), tensor(g), returns=list[dict[str, Any]])
    expect(len(answers) == 2, "The results of Multi could not be read.")
    for name, answer in zip(INPUTS, answers, strict=False):
        message = f"{name} was modified in place between forward and backward, but backward did not raise RuntimeError."
        evidence = {"given": answer["grad"]} if isinstance(answer.get("grad"), Array) else {}
        if answer.get("raised") != "RuntimeError":
            shown = {"x before": x, "w before": w, "upstream of p": g}
            raise fail(message, f"in-place edit of {name}", shown, **evidence)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    def drawn(*shape: int) -> Numbers:
        return np.asarray(rng.choice([0.0, 1.0, 1.0, 1e3]) * rng.normal(size=shape) * (rng.random(shape) < 0.8))

    points = []
    for used, need in product(("pq", "p", "q"), ("xw", "x", "w", "same")):
        shape = tuple(int(n) for n in rng.integers(0, 4, size=int(rng.integers(0, 3))))
        x, w, gp, gq = (drawn(*shape) for _ in range(4))
        w = np.where(rng.random(shape) < 0.2, x, w)
        points.append(Point(x, w, int(rng.integers(-3, 4)), gp if "p" in used else None, gq if "q" in used else None, need))
    for direct in (False, True):
        student.run(pulled, sent(points), [point.need for point in points], direct, returns=list[Pulled])
    asked = [[[p.x, p.w, p.k], [p.gp, p.gq, None], [drawn(*p.x.shape), drawn(*p.x.shape), None]] for p in points]
    student.operate("function.second_vjp", torched(asked), name="Multi")
    student.run(edited_in_between, *(tensor(numbers(rng, 3)) for _ in range(3)), returns=list[dict[str, Any]])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


def superfluous(right: Any, given: Any) -> list[Array]:
    """The tensors that backward returned, or that arrived, where there should be None. Empty if anything else differs."""
    found = []
    for truth, answer in zip(right, given, strict=True):
        if len(truth["grads"]) != len(answer["grads"]) or truth["flags"] != answer["flags"]:
            return []
        for expected, mine in zip(truth["grads"], answer["grads"], strict=True):
            if expected is None and isinstance(mine, Array):
                found.append(mine)
            elif expected is not None and not (isinstance(mine, Array) and near(mine, expected)):
                return []
    return found


def near(mine: Array, expected: Array) -> bool:
    return mine.shape == expected.shape and np.allclose(to_numpy(mine), to_numpy(expected), rtol=1e-6)


def some_nonzero(right: Any, given: Any) -> bool:
    return any(to_numpy(mine).any() for mine in superfluous(right, given))


def only_zeros(right: Any, given: Any) -> bool:
    found = superfluous(right, given)
    return bool(found) and not any(to_numpy(mine).any() for mine in found)


for where in ("every-subset", "direct-subsets", "direct-simple"):
    symptom("zeros-instead-of-none", only_zeros, check=where)
    symptom("needs-input-grad-ignored", some_nonzero, check=where)
    symptom("none-upstream-crash", raises("NoneType", type_name="TypeError"), check=where, raised=True)
symptom("non-differentiable-not-marked", lambda right, given: [a["flags"] for a in given] == [[True] * 3] * len(right))
symptom("ctx-attribute", lambda right, given: right[0]["raised"] and given[0]["raised"] is None, check="edited")
