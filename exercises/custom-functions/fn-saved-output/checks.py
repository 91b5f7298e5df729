"""Values and derivatives, and what a call keeps: which tensor is saved, whether the result is freed, and what an edit does."""

from typing import Any

import msgspec
import numpy as np
import torch

from autograder.judge.arrays import Numbers, to_numpy
from autograder.judge.checks import SINGLE, TENSOR, Student, check, expect, expect_close, fail, probe, tensor, variety
from autograder.judge.checks.functions import (
    expect_direct_backward,
    expect_function_vjp,
    expect_gradcheck,
    expect_gradgradcheck,
    expect_outputs,
    expect_second_vjp,
)
from autograder.judge.diagnosis import forward_of, raises, reads_as, symptom

NAMES = ("ExpFn", "SigmoidFn")
REFERENCES = {"ExpFn": torch.exp, "SigmoidFn": lambda x: 1 / (1 + torch.exp(-x))}
LAYOUTS = ("contiguous", "transposed", "strided")


def numbers(rng: np.random.Generator, *shape: int, dtype: str = "float64") -> torch.Tensor:
    """Of size about one, where the output differs from the input and no slope is small."""
    return torch.from_numpy(np.asarray(rng.choice([-1.0, 1.0], shape) * rng.uniform(0.4, 1.6, shape), dtype=dtype))


def points(rng: np.random.Generator, shapes: list[tuple[int, ...]], dtype: str = "float64") -> list[Any]:
    return [((numbers(rng, *shape, dtype=dtype),), (numbers(rng, *shape, dtype=dtype),)) for shape in shapes]


def special(rng: np.random.Generator) -> list[Any]:
    """Zeros of both signs in inputs, upstreams and weights; large inputs, under upstreams that
    bring the gradients of the exponential to size one."""
    x, g, weights = (numbers(rng, 3, 3, 3) for _ in range(3))
    x[0], x[1], g[:, 0], g[:, 1], weights[:, :, 0] = 0.0, -0.0, 0.0, -0.0, 0.0
    found = [((x,), (g,), (weights,))]
    for size in (10.0, -10.0, 29.0, -29.0):
        x = torch.from_numpy(size + rng.uniform(-0.9, 0.9, 3))
        found.append(((x,), (numbers(rng, 3) * torch.exp(-x.clamp(min=0)),), (numbers(rng, 3),)))
    return found


@check("Values", points=1)
def values(student: Student, rng: np.random.Generator) -> None:
    for name in NAMES:
        for x in (numbers(rng, 4), torch.tensor([0.0, 1.0, -2.0], dtype=torch.float64)):
            (given,) = expect_outputs(student, name, (x,), count=1)
            expect_close(given, REFERENCES[name](x), f"{name}.apply(x)", {"x": x}, TENSOR)


@check("Gradients for an upstream gradient other than 1", points=1.5)
def gradients(student: Student, rng: np.random.Generator) -> None:
    for name in NAMES:
        expect_function_vjp(student, name, points(rng, [(4,), (2, 3)]), REFERENCES[name])


@probe
def kept(student, x):
    """What a call of each Function saves, and whether its result outlives its last reference with the collector off."""
    import gc
    import weakref

    import torch

    found = []
    for name in ("ExpFn", "SigmoidFn"):
        packed = []
        leaf = x.clone().requires_grad_()

        def pack(saved):
            packed.append(saved)
            return saved.detach()

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved):
            y = getattr(student, name).apply(leaf)
        owners = {leaf.untyped_storage().data_ptr(): "input", y.untyped_storage().data_ptr(): "output"}
        entries = [t.numel() for t in packed]
        owned = [owners.get(t.untyped_storage().data_ptr(), "other") for t in packed]
        packed.clear()
        was_on = gc.isenabled()
        gc.disable()
        try:
            y = getattr(student, name).apply(leaf)
            watched = weakref.ref(y)
            del y
            alive = watched() is not None
        finally:
            if was_on:
                gc.enable()
        found.append({"entries": entries, "of": owned, "alive": alive})
    return found


class Kept(msgspec.Struct):
    """What the probe says about one Function."""

    entries: list[int]
    of: list[str]
    alive: bool


def asked_kept(student: Student, x: Numbers, layout: str = "contiguous") -> dict[str, Kept]:
    answers = student.run(kept, tensor(x, layout=layout), returns=list[Kept])
    expect(len(answers) == len(NAMES), "What the two Functions save could not be read.")
    return dict(zip(NAMES, answers, strict=True))


def expect_one_saved(name: str, answer: Kept, size: int) -> None:
    what, shown = f"what {name} saves", {"elements of x": size}
    if not answer.entries:
        message = f"{name} saves no tensor with save_for_backward."
        raise fail(message, what, shown, expected=1, given=0)
    total = sum(answer.entries)
    if len(answer.entries) > 1 or total != size:
        count = "1 tensor" if len(answer.entries) == 1 else f"{len(answer.entries)} tensors"
        message = f"{name} saves {count} with {total} elements in all for its backward pass; it should save one with {size}."
        raise fail(message, what, shown, expected=size, given=total)
    if answer.of[:1] not in (["input"], ["output"]):
        raise fail(f"{name} saves a tensor that is neither its input nor its output.", what, shown)


@check("One tensor is saved: the input or the output", points=1.5)
def one_saved(student: Student, rng: np.random.Generator) -> None:
    for name, answer in asked_kept(student, numbers(rng, 4, 3).numpy()).items():
        expect_one_saved(name, answer, 12)


@check("One tensor is saved, whatever the shape and layout", points=1, hidden=True)
def one_saved_of_any_shape(student: Student, rng: np.random.Generator) -> None:
    for shape, layout in (((), "contiguous"), ((5, 4), "transposed"), ((7,), "strided"), ((200,), "contiguous")):
        x = numbers(rng, *shape).numpy()
        for name, answer in asked_kept(student, x, layout).items():
            expect_one_saved(name, answer, x.size)


@check("The result is freed with its last reference", points=1, hidden=True)
def freed(student: Student, rng: np.random.Generator) -> None:
    for name, answer in asked_kept(student, numbers(rng, 3).numpy()).items():
        message = f"The result of {name} is still in memory after its last reference is deleted."
        expect(not answer.alive, message, "memory after the last reference is deleted")


@check("torch.autograd.gradcheck", points=1, hidden=True)
def first_order(student: Student, rng: np.random.Generator) -> None:
    for name in NAMES:
        expect_gradcheck(student, name, numbers(rng, 2, 2))


@check("torch.autograd.gradgradcheck and second derivatives at any point", points=2, hidden=True)
def second_order(student: Student, rng: np.random.Generator) -> None:
    for name in NAMES:
        expect_gradgradcheck(student, name, numbers(rng, 3), upstream=(numbers(rng, 3),))
        expect_second_vjp(student, name, special(rng), REFERENCES[name])


@probe
def edited(student, x, g):
    """For each Function: the input, or the result, is edited in place after forward. The error's type, or the gradient."""
    import torch

    found = []
    for name in ("ExpFn", "SigmoidFn"):
        for which in ("x", "y"):
            leaf = x.clone().requires_grad_()
            argument = leaf * 1
            y = getattr(student, name).apply(argument)
            with torch.no_grad():
                (argument if which == "x" else y).mul_(1.5)
            try:
                (grad,) = torch.autograd.grad(y, leaf, g)
            except RuntimeError:
                found.append({"name": name, "which": which, "raised": True, "grad": None})
            else:
                found.append({"name": name, "which": which, "raised": False, "grad": grad})
    return found


class Edited(msgspec.Struct):
    """What came of one edit."""

    name: str
    which: str
    raised: bool
    grad: Any


@check("In-place modifications: an error or the right gradient", points=1, hidden=True)
def in_place(student: Student, rng: np.random.Generator) -> None:
    x, g = numbers(rng, 3), numbers(rng, 3)
    answers = student.run(edited, tensor(x.numpy()), tensor(g.numpy()), returns=list[Edited])
    asked = [(name, which) for name in NAMES for which in ("x", "y")]
    expect([(a.name, a.which) for a in answers] == asked, "The results of the in-place edits could not be read.")
    for answer, (name, which) in zip(answers, asked, strict=True):
        if not answer.raised:
            leaf = x.clone().requires_grad_()
            (truth,) = torch.autograd.grad(REFERENCES[name](leaf), leaf, g)
            edit = "x" if which == "x" else "the result"
            what = f"The gradient of {name}, after {edit} was modified in place before backward,"
            expect_close(answer.grad, truth, what, {"x before the edit": x, "upstream": g}, TENSOR)


@probe
def in_one_graph(student, points):
    """All calls are made first, then all backward passes. For every point the values and gradients of both Functions."""
    import torch

    applied = []
    for x, g in points:
        x.requires_grad_()
        applied.append([student.ExpFn.apply(x), student.SigmoidFn.apply(x)])
    return [[[y, torch.autograd.grad(y, x, g)[0]] for y in ys] for (x, g), ys in zip(points, applied)]


@check("Any shape, layout and precision, and several calls before backward", points=1, hidden=True)
def shapes_and_types(student: Student, rng: np.random.Generator) -> None:
    shapes: list[tuple[int, ...]] = [(), (0,), (1, 3), (2, 0, 3), (3, 3), (4, 2)]
    asked = points(rng, shapes) + points(rng, [(3,), (), (0, 2)], "float32")
    sent = [
        [tensor(x.numpy(), layout=LAYOUTS[n % 3]), tensor(g.numpy(), layout=LAYOUTS[(n + 1) % 3])]
        for n, ((x,), (g,)) in enumerate(asked)
    ]
    answers = student.run(in_one_graph, sent, returns=list[list[tuple[Any, Any]]])
    expect([len(answer) for answer in answers] == [2] * len(asked), "The results of several calls could not be read.")
    for ((x,), (g,)), answer in zip(asked, answers, strict=True):
        for name, (value, gradient) in zip(NAMES, answer, strict=True):
            leaf = x.clone().requires_grad_()
            truth = REFERENCES[name](leaf)
            tolerance = TENSOR if x.dtype == torch.float64 else SINGLE
            expect_close(value, truth, f"The value of {name}", {"x": x}, tolerance)
            (expected,) = torch.autograd.grad(truth, leaf, g)
            expect_close(gradient, expected, f"The gradient of {name}", {"x": x, "upstream": g}, tolerance)


@check("backward itself: a formula, and one gradient with the shape of x", points=1, hidden=True)
def direct_backward(student: Student, rng: np.random.Generator) -> None:
    for name in NAMES:
        asked = [*points(rng, [(3,), (2, 1, 2), ()]), *((xs, gs) for xs, gs, _ in special(rng))]
        expect_direct_backward(student, name, asked, REFERENCES[name], by_formula=True)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    shapes = [tuple(int(n) for n in rng.integers(0, 4, size=int(rng.integers(0, 4)))) for _ in range(3)]
    dtype = str(rng.choice(["float64", "float32"]))
    xs = [numbers(rng, *shape, dtype=dtype) * float(rng.choice([0.0, 1e-3, 1.0, 18.0])) for shape in shapes]
    asked = [[[x], [numbers(rng, *x.shape, dtype=dtype) * float(rng.choice([0.0, 1.0]))]] for x in xs]
    for name in NAMES:
        student.operate("function.vjp", asked, name=name)
        student.operate("function.backward", asked, name=name)
        double = [[[x.double()], [g.double()], [g.double() * 2]] for (x,), (g,) in asked]
        student.operate("function.second_vjp", double, name=name)
    student.run(in_one_graph, [[tensor(x.numpy()), tensor(g.numpy())] for (x,), (g,) in asked], returns=list[Any])
    student.run(kept, numbers(rng, 3), returns=list[Kept])
    student.run(edited, numbers(rng, 3), numbers(rng, 3), returns=list[Edited])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


def one_of_its_own(answer: list[dict[str, Any]], *_: Any) -> list[dict[str, Any]]:
    """The input may be saved instead of the output."""
    return [{**entry, "of": ["own" if of in ("input", "output") else of for of in entry["of"]]} for entry in answer]


def safe_or_not(answer: list[dict[str, Any]], x: Any, g: Any) -> list[Any]:
    """An error is as good as the right gradient."""
    values = {"ExpFn": np.exp(to_numpy(x)), "SigmoidFn": 1 / (1 + np.exp(-to_numpy(x)))}
    slopes = {"ExpFn": values["ExpFn"], "SigmoidFn": values["SigmoidFn"] * (1 - values["SigmoidFn"])}
    found = []
    for entry in answer:
        truth = to_numpy(g) * slopes[entry["name"]]
        safe = entry["raised"] or np.allclose(to_numpy(entry["grad"]), truth, rtol=1e-6)
        found.append("safe" if safe else entry["grad"])
    return found


reads_as("kept", one_of_its_own)
reads_as("edited", safe_or_not)
for function, reference in REFERENCES.items():
    forward_of(function, reference)
for where in ("one-saved", "one-saved-of-any-shape"):
    symptom("saves-a-copy", lambda right, given: any("other" in entry["of"] for entry in given), check=where)
    symptom("saves-too-much", lambda right, given: any(len(entry["of"]) > 1 for entry in given), check=where)
    symptom("ctx-attribute", lambda right, given: any(not entry["of"] for entry in given), check=where)
symptom(
    "autograd-in-backward", raises("does not require grad and does not have a grad_fn"), check="direct-backward", raised=True
)
