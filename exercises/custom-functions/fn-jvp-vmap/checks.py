"""Reverse mode, forward mode and vmap in all their combinations, compared with the formulas of the statement in numpy."""

from typing import Any

import numpy as np
import torch

from autograder.judge.arrays import Numbers
from autograder.judge.checks import Student, check, expect, expect_close, probe, tensor, variety
from autograder.judge.checks.functions import expect_direct_backward, expect_function_vjp, expect_outputs, expect_second_vjp
from autograder.judge.diagnosis import forward_of, raises, symptom

Dims = tuple[int | None, int | None]
EVERY_DIMS: tuple[Dims, ...] = ((0, 0), (1, 0), (0, 1), (0, None), (None, 0), (1, None), (None, 1), (1, 1))
LAYOUTS = ("contiguous", "transposed", "strided")


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    difference = x - y
    return (difference * difference).sum() / 2


def numbers(rng: np.random.Generator, *shape: int) -> Numbers:
    return np.asarray(rng.choice([-1.0, 1.0], shape) * rng.uniform(0.5, 2.0, shape))


def points(rng: np.random.Generator, sizes: list[int]) -> list[Any]:
    pairs = [(numbers(rng, n), numbers(rng, n), numbers(rng)) for n in sizes]
    return [((torch.from_numpy(x), torch.from_numpy(y)), (torch.from_numpy(g),)) for x, y, g in pairs]


@probe
def forwards(student, cases):
    """The tangent of the result for every case `(x, y, x_t, y_t, how)`, where a missing tangent is None."""
    import torch
    import torch.autograd.forward_ad as forward_ad

    answers = []
    for x, y, x_t, y_t, how in cases:
        if how == "dual":
            with forward_ad.dual_level():
                left = x if x_t is None else forward_ad.make_dual(x, x_t)
                right = y if y_t is None else forward_ad.make_dual(y, y_t)
                value, tangent = forward_ad.unpack_dual(student.SqDist.apply(left, right))
        elif y_t is None:
            value, tangent = torch.func.jvp(lambda x: student.SqDist.apply(x, y), (x,), (x_t,))
        elif x_t is None:
            value, tangent = torch.func.jvp(lambda y: student.SqDist.apply(x, y), (y,), (y_t,))
        else:
            value, tangent = torch.func.jvp(student.SqDist.apply, (x, y), (x_t, y_t))
        answers.append([value.detach().clone(), None if tangent is None else tangent.detach().clone()])
    return answers


@probe
def batched(student, cases):
    """The results of a transform for every case `(transform, dims, x, y, x_t, y_t, g)`."""
    import torch
    from torch.func import grad, jvp, vjp, vmap

    apply = student.SqDist.apply
    answers = []
    for transform, dims, x, y, x_t, y_t, g in cases:
        left, right = dims
        if transform == "vmap":
            results = vmap(apply, in_dims=(left, right))(x, y)
        elif transform == "vmap(grad)":
            results = vmap(grad(apply, argnums=(0, 1)), in_dims=(left, right))(x, y)
        elif transform == "vmap(grad of y)":
            results = vmap(grad(apply, argnums=1), in_dims=(left, right))(x, y)
        elif transform == "vmap(vjp)":
            results = vmap(lambda x, y, g: vjp(apply, x, y)[1](g), in_dims=(left, right, 0))(x, y, g)
        elif transform == "vmap(jvp)":
            both = vmap(lambda x, y, x_t, y_t: jvp(apply, (x, y), (x_t, y_t)), in_dims=(left, right, left, right))
            results = both(x, y, x_t, y_t)
        elif transform == "vmap(jvp of x)":
            of_x = vmap(lambda x, y, x_t: jvp(lambda x: apply(x, y), (x,), (x_t,)), in_dims=(left, right, left))
            results = of_x(x, y, x_t)
        elif transform == "vmap(jvp of y)":
            of_y = vmap(lambda x, y, y_t: jvp(lambda y: apply(x, y), (y,), (y_t,)), in_dims=(left, right, right))
            results = of_y(x, y, y_t)
        elif transform == "vmap of upstreams":
            x.requires_grad_()
            y.requires_grad_()
            results = torch.autograd.grad(apply(x, y), (x, y), g, is_grads_batched=True)
        else:
            x.requires_grad_()
            y.requires_grad_()
            results = torch.autograd.grad(vmap(apply, in_dims=(left, right))(x, y), (x, y), g)
        results = results if isinstance(results, (tuple, list)) else [results]
        answers.append([t.detach().clone() if torch.is_tensor(t) else t for t in results])
    return answers


def batch(rng: np.random.Generator, samples: int, n: int, dim: int | None) -> Numbers:
    return numbers(rng, n) if dim is None else numbers(rng, samples, n) if dim == 0 else numbers(rng, n, samples)


def rows(values: Numbers, dim: int | None) -> Numbers:
    """The samples along the first axis; a shared vector as one row."""
    return values[None] if dim is None else values if dim == 0 else values.T


def expect_batched(student: Student, rng: np.random.Generator, asked: list[tuple[str, Dims, int, int]]) -> None:
    """`asked` has the transform, the batch axes, the number of samples and the length of the vectors."""
    cases: list[tuple[str, Dims, Numbers, Numbers, Numbers, Numbers, Numbers]] = []
    for transform, (left, right), samples, n in asked:
        x, x_t = (batch(rng, samples, n, left) for _ in range(2))
        y, y_t = (batch(rng, samples, n, right) for _ in range(2))
        cases.append((transform, (left, right), x, y, x_t, y_t, numbers(rng, samples)))
    expect_transforms(student, cases)


def expect_transforms(student: Student, cases: list[Any]) -> None:
    sent = [
        [transform, list(dims), *(tensor(t, layout=LAYOUTS[k % 3]) for t in (x, y, x_t, y_t, g))]
        for k, (transform, dims, x, y, x_t, y_t, g) in enumerate(cases)
    ]
    answers = student.run(batched, sent, returns=list[list[Any]])
    expect(len(answers) == len(cases), "The results of the transforms could not be read.")
    for (transform, dims, *arrays), answer in zip(cases, answers, strict=True):
        truth = results_of(transform, dims, *arrays)
        what = f"{transform} with in_dims={dims}" if transform != "vmap of upstreams" else "grad with is_grads_batched=True"
        shown = dict(zip(("x", "y", "tangent of x", "tangent of y", "upstream"), arrays, strict=True))
        used = {"vmap(jvp": 4, "vmap(gra": 2, "vmap(vjp": 5, "vmap": 2, "vmap of ": 5, "backward": 5}[transform[:8]]
        shown = {key: value for n, (key, value) in enumerate(shown.items()) if n < used and (used == 4 or n not in (2, 3))}
        expect(len(answer) == len(truth), f"{what} should give {len(truth)} results, but gives {len(answer)}.", what, shown)
        for place, (given, expected) in enumerate(zip(answer, truth, strict=True)):
            which = f"Result {place + 1} of {what}" if len(truth) > 1 else f"The result of {what}"
            expect_close(given, tensor(expected), which, shown)


def results_of(transform: str, dims: Dims, x: Numbers, y: Numbers, x_t: Numbers, y_t: Numbers, g: Numbers) -> list[Numbers]:
    if transform == "vmap of upstreams":
        return [np.outer(g, x - y), np.outer(g, y - x)]
    left, right = dims
    difference = rows(x, left) - rows(y, right)
    value = (difference**2).sum(1) / 2
    if transform == "vmap":
        return [value]
    if transform == "vmap(grad of y)":
        return [-difference]
    if transform == "vmap(grad)":
        return [difference, -difference]
    if transform == "vmap(vjp)":
        return [g[:, None] * difference, -g[:, None] * difference]
    if transform.startswith("vmap(jvp"):
        moved = rows(x_t, left) if "of y" not in transform else 0.0
        moved = moved - (rows(y_t, right) if "of x" not in transform else 0.0)
        return [value, (difference * moved).sum(1)]
    of_x, of_y = g[:, None] * difference, -g[:, None] * difference
    of_x = of_x.sum(0) if left is None else of_x if left == 0 else of_x.T
    of_y = of_y.sum(0) if right is None else of_y if right == 0 else of_y.T
    return [np.ascontiguousarray(of_x), np.ascontiguousarray(of_y)]


def expect_tangents(student: Student, rng: np.random.Generator, which: tuple[str, ...], sizes: tuple[int, ...]) -> None:
    """Tangents of both inputs, of x or of y, with both interfaces of forward mode."""
    cases = []
    for n in sizes:
        for given in which:
            for how in ("func", "dual"):
                x, y, x_t, y_t = (numbers(rng, n) for _ in range(4))
                cases.append([x, y, x_t if "x" in given else None, y_t if "y" in given else None, how])
    x = numbers(rng, 3)
    cases.append([x, x.copy(), numbers(rng, 3), numbers(rng, 3), "func"])  # a distance of 0
    sent = [
        [None if t is None else tensor(t, layout=LAYOUTS[n % 3]) for t in case[:4]] + case[4:]
        for n, case in enumerate(cases)
    ]
    answers = student.run(forwards, sent, returns=list[tuple[Any, Any]])
    expect(len(answers) == len(cases), "The results of forward mode could not be read.")
    for (x, y, x_t, y_t, how), (value, tangent) in zip(cases, answers, strict=True):
        shown = {"x": x, "y": y} | {name: t for name, t in (("tangent of x", x_t), ("tangent of y", y_t)) if t is not None}
        moved = (0.0 if x_t is None else x_t) - (0.0 if y_t is None else y_t)
        who = "torch.func.jvp" if how == "func" else "torch.autograd.forward_ad"
        only = "" if x_t is not None and y_t is not None else ", where only one input has a tangent,"
        expect_close(value, tensor(((x - y) ** 2).sum() / 2), f"The value under {who}", shown)
        expect_close(tangent, tensor(((x - y) * moved).sum()), f"The tangent with {who}{only}", shown)


@check("Value and gradients", points=2)
def gradients(student: Student, rng: np.random.Generator) -> None:
    for xs, _ in points(rng, [3, 1]):
        (given,) = expect_outputs(student, "SqDist", xs, count=1)
        expect_close(given, reference(*xs), "SqDist.apply(x, y)", {"x": xs[0], "y": xs[1]})
    expect_function_vjp(student, "SqDist", points(rng, [4, 3]), reference)


@check("Forward mode with both tangents", points=1.5)
def forward_mode(student: Student, rng: np.random.Generator) -> None:
    expect_tangents(student, rng, ("xy",), (4,))


@check("vmap over both inputs, and over one", points=1.5)
def batches(student: Student, rng: np.random.Generator) -> None:
    expect_batched(student, rng, [("vmap", (0, 0), 4, 3), ("vmap", (1, None), 4, 3), ("vmap(grad)", (0, 0), 2, 3)])


@check("Second derivatives, and backward itself: a formula with two gradients", points=2, hidden=True)
def second_order(student: Student, rng: np.random.Generator) -> None:
    x, y, g, weights = numbers(rng, 6), numbers(rng, 6), numbers(rng), (numbers(rng, 6), numbers(rng, 6))
    x[0], y[1], weights[0][2], weights[1][3] = 0.0, -0.0, 0.0, -0.0
    x[4] = y[4]
    asked: list[Any] = [((x, y), (g,), weights), ((x, y), (np.zeros(()),), weights), ((x, x.copy()), (g,), weights)]
    asked = [tuple(tuple(map(torch.from_numpy, part)) for part in point) for point in asked]
    expect_second_vjp(student, "SqDist", asked, reference)
    direct = [*points(rng, [1, 5]), *((xs, gs) for xs, gs, _ in asked)]
    expect_direct_backward(student, "SqDist", direct, reference, by_formula=True)


@check("Forward mode with a tangent for one input", points=1.5, hidden=True)
def one_tangent(student: Student, rng: np.random.Generator) -> None:
    expect_tangents(student, rng, ("x", "y", "xy"), (1, 4))


@check("vmap with every combination of in_dims", points=2, hidden=True)
def every_dims(student: Student, rng: np.random.Generator) -> None:
    asked = [("vmap", dims, *size) for dims in EVERY_DIMS for size in ((4, 3), (3, 3))]
    expect_batched(student, rng, [*asked, ("vmap", (1, 0), 1, 4), ("vmap", (0, None), 4, 1)])
    x = numbers(rng, 3, 3)
    expect_transforms(student, [("vmap", (0, 0), x, x.copy(), x, x, x[0]), ("vmap(grad)", (0, 0), x, x.copy(), x, x, x[0])])


@check("vmap around grad and vjp", points=2, hidden=True, seconds=2)
def batched_gradients(student: Student, rng: np.random.Generator) -> None:
    asked = [("vmap(vjp)", dims, 4, 3) for dims in EVERY_DIMS] + [("vmap(grad)", dims, 3, 3) for dims in EVERY_DIMS]
    asked += [("vmap(grad of y)", (0, 1), 4, 3), ("vmap(grad of y)", (None, 0), 3, 3), ("vmap(vjp)", (0, 1), 1, 2)]
    expect_batched(student, rng, asked)


@check("vmap around jvp", points=1.5, hidden=True, seconds=2)
def batched_tangents(student: Student, rng: np.random.Generator) -> None:
    asked = [("vmap(jvp)", dims, 4 - n % 2, 3) for n, dims in enumerate(EVERY_DIMS)]
    asked += [("vmap(jvp of x)", (0, right), 4, 3) for right in (0, 1, None)]
    asked += [("vmap(jvp of y)", (left, 1), 3, 3) for left in (0, 1, None)]
    expect_batched(student, rng, [*asked, ("vmap(jvp)", (1, 0), 1, 4)])


@check("A backward pass through vmap, and batches of upstream gradients", points=1, hidden=True, seconds=2)
def through_vmap(student: Student, rng: np.random.Generator) -> None:
    x, y, g = numbers(rng, 3), numbers(rng, 3), numbers(rng, 4)
    expect_batched(student, rng, [("backward through vmap", dims, 4, 3) for dims in EVERY_DIMS])
    expect_transforms(student, [("vmap of upstreams", (0, 0), x, y, x, y, g)])


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    def drawn(*shape: int) -> Numbers:
        return np.asarray(rng.normal(size=shape) * (rng.random(shape) < 0.8) * rng.choice([1e-3, 1.0, 1e3]))

    n = int(rng.integers(1, 5))
    asked = [[[drawn(n), drawn(n)], [np.asarray(float(rng.choice([0.0, 1.0, -2.5])))]] for _ in range(3)]
    for operation in ("function.vjp", "function.backward"):
        student.operate(operation, [[list(map(tensor, part)) for part in point] for point in asked], name="SqDist")
    double = [[list(map(tensor, part)) for part in [*point, [drawn(n), drawn(n)]]] for point in asked]
    student.operate("function.second_vjp", double, name="SqDist")
    sent: list[Any] = []
    for how in ("func", "dual"):
        for given in ("x", "y", "xy"):
            x, y, x_t, y_t = (tensor(drawn(n)) for _ in range(4))
            sent.append([x, y, x_t if "x" in given else None, y_t if "y" in given else None, how])
    student.run(forwards, sent, returns=list[Any])
    cases = []
    names = ("vmap", "vmap(grad)", "vmap(grad of y)", "vmap(vjp)", "vmap(jvp)", "backward through vmap")
    for name in names:
        left, right = EVERY_DIMS[int(rng.integers(len(EVERY_DIMS)))]
        samples, n = (int(size) for size in rng.integers(1, 4, size=2))
        shapes = [(n,) if dim is None else (samples, n) if dim == 0 else (n, samples) for dim in (left, right, left, right)]
        cases.append([name, [left, right], *(tensor(drawn(*shape)) for shape in shapes), tensor(drawn(samples))])
    student.run(batched, cases, returns=list[Any])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------

FORWARD = ("forward-mode", "one-tangent", "batched-tangents")
BATCHED = ("batches", "every-dims", "batched-gradients", "batched-tangents", "through-vmap")
forward_of("SqDist", reference)
for where in FORWARD:
    symptom(
        "no-forward-mode",
        raises("implement the jvp", "not enough values to unpack (expected 2, got 0)"),
        check=where,
        raised=True,
    )
symptom("none-tangent-crash", raises("NoneType", type_name="TypeError"), check="one-tangent", raised=True)
for where in FORWARD:
    symptom("elementwise-instead-of-dot", raises("forward gradient that has a different size"), check=where, raised=True)
for where in {*FORWARD, *BATCHED}:
    symptom("not-for-torch-func", raises("must override the setup_context"), check=where, raised=True)
for where in BATCHED:
    symptom("no-vmap-rule", raises("does not have vmap support"), check=where, raised=True)
    words = ("data-dependent control flow", ".item() on a Tensor", "numpy()")
    symptom("data-dependent-branch", raises(*words), check=where, raised=True)
symptom(
    "autograd-in-backward", raises("does not require grad and does not have a grad_fn"), check="second-order", raised=True
)
