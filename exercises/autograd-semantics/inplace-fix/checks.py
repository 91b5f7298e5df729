"""Values and gradients by formula, computed here with numpy. What became of the arguments is asked by a probe."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, describe, expect, expect_close, fail, probe, tensor, to_numpy, variety
from autograder.judge.diagnosis import raises, reads_as, symptom

Point = tuple[Numbers, int | None]  # x, or w and n


def shifted(x: Numbers) -> tuple[Numbers, Numbers]:
    e = np.exp(x)
    return np.asarray(((e + 1) ** 2).sum()), 2 * (e + 1) * e


def gated(x: Numbers) -> tuple[Numbers, Numbers]:
    s = 1 / (1 + np.exp(-x))
    return np.asarray((x * s).sum()), s + x * s * (1 - s)


def powers(w: Numbers, n: int) -> tuple[Numbers, Numbers]:
    base = float(w)
    slope = sum(i * base ** (i - 1) for i in range(1, n + 1))
    return np.asarray(sum(base**i for i in range(n + 1)), dtype="float64"), np.asarray(slope, dtype="float64")


def clipped(x: Numbers) -> tuple[Numbers, Numbers]:
    t = np.where(x > 0, np.tanh(x), 0.0)
    return np.asarray((t * x).sum()), np.where(x > 0, t + x * (1 - t * t), 0.0)


TRUTHS: dict[str, Callable[..., tuple[Numbers, Numbers]]] = {
    "shifted": shifted,
    "gated": gated,
    "powers": powers,
    "clipped": clipped,
}


def expect_repaired(student: Student, rng: np.random.Generator, name: str, points: list[Point]) -> None:
    """Value and gradient at every point, under a random upstream."""
    layouts = ("contiguous", "transposed", "strided")
    upstreams = [np.asarray(rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0])) for _ in points]
    sent = [
        [[tensor(x, layout=layouts[k % 3]), *([] if n is None else [n])], [tensor(g)]]
        for k, ((x, n), g) in enumerate(zip(points, upstreams, strict=True))
    ]
    answers = student.operate("function.vjp", sent, name=name)
    if not isinstance(answers, list) or len(answers) != len(points):
        raise fail(f"The values and gradients of {name} could not be read.")
    for (x, n), g, answer in zip(points, upstreams, answers, strict=True):
        value, slope = TRUTHS[name](x) if n is None else TRUTHS[name](x, n)
        shown: dict[str, Any] = {"x": x} if n is None else {"w": x, "n": n}
        given_value, given_gradient = first(answer, 0, name), first(answer, 1, name)
        expect_close(given_value, tensor(value), f"The value of {name}", shown)
        shown["upstream"] = g
        what = f"The gradient of {name}"
        if given_gradient is None and n != 0:
            message = f"{what} is missing: the result of {name} has no path to its argument."
            raise fail(message, what, shown, expected=g * slope)
        if given_gradient is not None:
            expect_close(given_gradient, tensor(g * slope), what, shown)


def first(answer: Any, position: int, name: str) -> Any:
    """The only output, or the gradient of the first argument."""
    values = answer[position] if isinstance(answer, list) and len(answer) == 2 else None
    if not isinstance(values, list) or not values:
        raise fail(f"{name} should return one tensor, but returned {describe(values)}.")
    return values[0]


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    """Both signs occur wherever there are two entries."""
    signs = np.where(np.arange(int(np.prod(shape))) % 2, 1.0, -1.0).reshape(shape)
    return np.asarray(signs * rng.uniform(0.3, 2.0, shape))


def many(rng: np.random.Generator, *, zeros: bool) -> list[Point]:
    """Every shape, one sign alone, and numbers of several sizes."""
    xs = [numbers(rng, *shape) for shape in ((), (1,), (0,), (3, 4), (2, 1, 3))]
    xs += [abs(numbers(rng, 4)), -abs(numbers(rng, 4)), -numbers(rng), numbers(rng, 4) * [1e-9, 1e-9, 1.0, 1.0]]
    xs += [numbers(rng, 2) * 10]
    if zeros:
        xs += [np.concatenate([[0.0, -0.0], numbers(rng, 2)]), np.zeros(())]
    return [(x, None) for x in xs]


@check("shifted: value and gradient", points=1)
def shifted_simple(student: Student, rng: np.random.Generator) -> None:
    expect_repaired(student, rng, "shifted", [(numbers(rng, 4), None)])


@check("gated: value and gradient", points=1)
def gated_simple(student: Student, rng: np.random.Generator) -> None:
    expect_repaired(student, rng, "gated", [(numbers(rng, 4), None)])


@check("powers: value and gradient", points=1)
def powers_simple(student: Student, rng: np.random.Generator) -> None:
    expect_repaired(student, rng, "powers", [(numbers(rng), n) for n in (2, 3)])


@check("clipped: value and gradient", points=1)
def clipped_simple(student: Student, rng: np.random.Generator) -> None:
    expect_repaired(student, rng, "clipped", [(numbers(rng, 4), None)])


@check("shifted at other inputs", points=1.25, hidden=True)
def shifted_everywhere(student: Student, rng: np.random.Generator) -> None:
    expect_repaired(student, rng, "shifted", many(rng, zeros=True))


@check("gated at other inputs", points=1.25, hidden=True)
def gated_everywhere(student: Student, rng: np.random.Generator) -> None:
    expect_repaired(student, rng, "gated", many(rng, zeros=True))


@check("powers for other n and other w, including 0 and 1", points=2, hidden=True)
def powers_everywhere(student: Student, rng: np.random.Generator) -> None:
    bases = [np.asarray(w) for w in (0.0, -0.0, 1.0, -1.0)]
    points = [(w, n) for w in (*bases, numbers(rng), -numbers(rng)) for n in (0, 1, 2, 5)]
    expect_repaired(student, rng, "powers", [*points, (numbers(rng) * 0.5, int(rng.integers(6, 30)))])


@check("clipped at other inputs", points=1.25, hidden=True)
def clipped_everywhere(student: Student, rng: np.random.Generator) -> None:
    expect_repaired(student, rng, "clipped", many(rng, zeros=False))


@probe
def untouched(student, arguments):
    """Call every function on a leaf and on the result of another operation, which is used again afterwards."""
    import torch

    found = []
    for name, x, *n in arguments:
        for kind in ("leaf", "result"):
            leaf = x.requires_grad_()
            argument = leaf if kind == "leaf" else leaf * 1.0
            values, versions = argument.detach().clone(), [argument._version]
            out = getattr(student, name)(argument, *n)
            versions.append(argument._version)
            total = out + (argument * argument).sum()
            (gradient,) = torch.autograd.grad(total, leaf)
            versions.append(argument._version)
            kept = bool((argument.detach() == values).all())
            found.append({"gradient": gradient, "versions": versions, "kept": kept})
    return found


class Untouched(msgspec.Struct):
    """The gradient at the leaf; the version of the argument before the call, after it, and after the backward pass."""

    gradient: Any
    versions: tuple[int, int, int]
    kept: bool


@check("The arguments are not modified, and can be used again", points=2.25, hidden=True)
def arguments_untouched(student: Student, rng: np.random.Generator) -> None:
    asked: list[list[Any]] = [[name, numbers(rng, 3)] for name in ("shifted", "gated", "clipped")]
    asked += [["powers", numbers(rng), int(rng.integers(3, 6))], ["clipped", -abs(numbers(rng, 2))]]
    answers = student.run(untouched, [[name, tensor(x), *n] for name, x, *n in asked], returns=list[Untouched])
    if len(answers) != 2 * len(asked):
        raise fail("The answers of your functions could not be read.")
    for place, answer in enumerate(answers):
        name, x, *n = asked[place // 2]
        what = f"{name}: the argument after the call"
        expect(answer.kept, f"{name} modified its argument.", what, {"x": x})
        message = f"{name} modified its argument in place: its version is no longer what it was before the call."
        expect(len(set(answer.versions)) == 1, message, what, {"x": x}, given=list(answer.versions))
        _, slope = TRUTHS[name](x, *n)
        what = f"The gradient of {name}(x) plus the sum of x * x"
        expect_close(answer.gradient, tensor(slope + 2 * x), what, {"x": x})


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    layouts = ("contiguous", "transposed", "strided")
    for name in ("shifted", "gated", "clipped"):
        shapes = [tuple(int(size) for size in rng.integers(0, 4, size=int(rng.integers(0, 4)))) for _ in range(3)]
        xs = [np.asarray(rng.choice([1e-6, 1.0, 10.0]) * rng.normal(size=shape)) for shape in shapes]
        if name != "clipped":
            xs = [x * (rng.random(x.shape) < 0.8) for x in xs]
        sent = [[[tensor(x, layout=str(rng.choice(layouts)))], [tensor(np.asarray(rng.normal()))]] for x in xs]
        student.operate("function.vjp", sent, name=name)
        student.run(untouched, [[name, tensor(x)] for x in xs], returns=list[Untouched])
        student.call(name, tensor(xs[0]))
    ws = [np.asarray(w) for w in (0.0, 1.0, -1.0, rng.normal(), 2 * rng.normal())]
    sent_powers = [[[tensor(w), int(rng.integers(0, 12))], [tensor(np.asarray(rng.normal()))]] for w in ws]
    student.operate("function.vjp", sent_powers, name="powers")


def reading(answers: list[Any], points: list[Any]) -> dict[str, Any]:
    """No gradient is as good as a gradient of 0. The points are the same on both sides."""
    values = [outputs[0] for outputs, _ in answers]
    gradients = [0.0 if grads[0] is None else grads[0] for _, grads in answers]
    return {
        "values": values,
        "gradients": gradients,
        "x": [xs[0] for xs, _ in points],
        "upstream": [g for _, (g,) in points],
    }


def equal(one: Any, other: Any) -> bool:
    return bool(np.allclose(to_numpy(one), to_numpy(other), rtol=1e-9, atol=1e-12))


def right_values(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return all(map(equal, right["values"], given["values"]))


def cut(*slopes: Callable[[Numbers], Numbers]) -> Callable[[Any, Any], bool]:
    """The values are right, and the gradients are those of one of the paths."""

    def when(right: dict[str, Any], given: dict[str, Any]) -> bool:
        asked = [
            (to_numpy(x), to_numpy(g), mine)
            for x, g, mine in zip(right["x"], right["upstream"], given["gradients"], strict=True)
        ]
        return right_values(right, given) and any(all(equal(mine, g * slope(x)) for x, g, mine in asked) for slope in slopes)

    return when


def no_gradient(right: dict[str, Any], given: dict[str, Any]) -> bool:
    return right_values(right, given) and not any(np.any(to_numpy(g)) for g in given["gradients"])


def edited(right: list[dict[str, Any]], given: list[dict[str, Any]]) -> bool:
    return any(len(set(answer["versions"])) > 1 or not answer["kept"] for answer in given)


def sigmoid(x: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-x)))


PATHS: dict[str, tuple[Callable[[Numbers], Numbers], ...]] = {
    "shifted": (lambda x: (np.exp(x) + 1) * np.exp(x),),
    "gated": (sigmoid, lambda x: x * sigmoid(x) * (1 - sigmoid(x))),
    "clipped": (lambda x: np.tanh(x) * (x > 0), lambda x: x * (1 - np.tanh(x) ** 2) * (x > 0)),
}
reads_as("function.vjp", reading)
symptom("mutates-input", edited, check="arguments-untouched")
symptom("wrong-clone", raises("modified by an inplace operation"), raised=True)
for name in TRUTHS:
    for place in (f"{name}-simple", f"{name}-everywhere"):
        symptom("no-grad-around-everything", no_gradient, check=place)
        if name in PATHS:
            symptom("detached-branch", cut(*PATHS[name]), check=place)
