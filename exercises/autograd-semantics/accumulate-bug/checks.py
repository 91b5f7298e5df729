"""Whole trajectories against a descent computed here with numpy and derivatives by hand: no autograd on either side of the truth."""

from collections.abc import Sequence
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
    expect_equal,
    fail,
    probe,
    tensor,
    to_numpy,
    variety,
)
from autograder.judge.checks.pictures import Reference, show_backward

CLOSE = Tolerance(1e-7, 1e-10)


class Fitted(msgspec.Struct):
    """What the probe says after one or more calls of fit."""

    losses: list[Any]
    params: tuple[Any, Any, Any]
    calls: int
    same: bool


class FittedTwo(msgspec.Struct):
    a: Any
    b: Any
    leaves: bool


@probe
def fitted(student, w, u, idle, target, lr, rounds, old):
    """Call fit once per entry of `rounds`. The loss uses w twice, u once, and never reaches `idle`."""
    import torch

    params = [t.clone().requires_grad_() for t in (w, u, idle)]
    if old:
        for p in params:
            p.grad = torch.full_like(p, 0.7)
    calls = []

    def loss_fn():
        calls.append(1)
        w, u, _ = params
        return ((w * w * u - target) ** 2).mean() + 0.1 * (w * w).sum()

    places = [p.data_ptr() for p in params]
    losses = [student.fit(params, loss_fn, lr, steps) for steps in rounds]
    same = [p.data_ptr() for p in params] == places and all(p.is_leaf and p.requires_grad for p in params)
    return {"losses": losses, "params": [p.detach() for p in params], "calls": len(calls), "same": same}


@probe
def fitted_two(student, a, b, target, lr, steps, old):
    import torch

    pa, pb = a.clone().requires_grad_(), b.clone().requires_grad_()
    if old:
        for p in (pa, pb):
            p.grad = torch.full_like(p, -0.4)

    def loss_a():
        return ((pa * pb - target) ** 2).sum() + (pa * pa).sum()

    def loss_b():
        return ((pa + 2 * pb) ** 2).sum() + (pb * pb * pa).sum()

    student.fit_two([pa], [pb], loss_a, loss_b, lr, steps)
    return {"a": pa.detach(), "b": pb.detach(), "leaves": pa.is_leaf and pb.is_leaf}


def reference(w: Numbers, u: Numbers, idle: Numbers, target: Numbers) -> Reference:
    """The loss of fit on tensors of the judge's own."""
    import torch

    leaves = {name: torch.tensor(value, requires_grad=True) for name, value in (("w", w), ("u", u), ("idle", idle))}
    w, u = leaves["w"], leaves["u"]
    loss = ((w * w * u - torch.tensor(target)) ** 2).mean() + 0.1 * (w * w).sum()
    return Reference([loss], leaves)


def reference_two(a: Numbers, b: Numbers, target: Numbers) -> tuple[Reference, Reference]:
    """Both losses of fit_two on tensors of the judge's own."""
    import torch

    leaves = {"a": torch.tensor(a, requires_grad=True), "b": torch.tensor(b, requires_grad=True)}
    pa, pb = leaves["a"], leaves["b"]
    loss_a = ((pa * pb - torch.tensor(target)) ** 2).sum() + (pa * pa).sum()
    loss_b = ((pa + 2 * pb) ** 2).sum() + (pb * pb * pa).sum()
    return Reference([loss_a], leaves), Reference([loss_b], leaves)


def steps_taken(before: Sequence[Numbers], after: Sequence[Any], lr: float) -> list[Any]:
    """The gradients that one step used, from how far it went."""
    taken = []
    for old, new in zip(before, after, strict=True):
        fits = hasattr(new, "shape") and tuple(new.shape) == old.shape
        taken.append((old - to_numpy(new)) / lr if fits else new)
    return taken


def descend(w: Numbers, u: Numbers, target: Numbers, lr: float, steps: int) -> tuple[list[float], Numbers, Numbers]:
    losses = []
    for _ in range(steps):
        error = w * w * u - target
        losses.append(float((error**2).mean() + 0.1 * (w * w).sum()))
        slope = 2 * error / error.size
        w, u = w - lr * (slope * 2 * w * u + 0.2 * w), u - lr * slope * w * w
    return losses, w, u


def descend_two(a: Numbers, b: Numbers, target: Numbers, lr: float, steps: int) -> tuple[Numbers, Numbers]:
    for _ in range(steps):
        a = a - lr * (2 * (a * b - target) * b + 2 * a)
        b = b - lr * (4 * (a + 2 * b) + 2 * b * a)
    return a, b


def expect_fit(student: Student, rng: np.random.Generator, rounds: list[int], *, old: bool, lr: float = 0.05) -> None:
    w, u, target, idle = (rng.uniform(0.5, 1.5, size=4) for _ in range(4))
    sent = [tensor(x) for x in (w, u, idle, target)]
    picture = show_backward("the loss of the first step", lambda: reference(w, u, idle, target))
    answer = student.run(fitted, *sent, lr, rounds, old, returns=Fitted)
    if sum(rounds) == 1:
        picture.answered(dict(zip(("w", "u", "idle"), steps_taken((w, u, idle), answer.params, lr), strict=True)))
    losses, w_end, u_end = descend(w, u, target, lr, sum(rounds))
    shown = {"w": w, "u": u, "lr": lr, "steps": rounds}
    given = flattened(answer.losses, rounds, shown)
    expect_equal(answer.calls, sum(rounds), "The number of calls of loss_fn", shown)
    expect_close(array_of(given), np.array(losses), "The list of losses", shown, CLOSE)
    for name, value, truth in zip(
        ("w", "u", "the parameter that the loss does not depend on"), answer.params, (w_end, u_end, idle), strict=True
    ):
        expect_close(value, truth, f"{name} after the last step", shown, CLOSE)
    expect(answer.same, "The parameters must be updated in place and remain leaves that require grad.")


def flattened(losses: Any, rounds: list[int], shown: dict[str, Any]) -> list[float]:
    losses = losses if isinstance(losses, list | tuple) and len(losses) == len(rounds) else [None] * len(rounds)
    for part, steps in zip(losses, rounds, strict=True):
        if not isinstance(part, list) or len(part) != steps or not all(type(x) is float for x in part):
            raise fail(
                f"fit should return a list of {steps} floats, but returned {describe(part)}.",
                "losses",
                shown,
                given=part,
            )
    return [x for part in losses for x in part]


def array_of(values: list[float]) -> Any:
    from autograder.judge.checks import array

    return array(np.array(values))


def expect_two(student: Student, rng: np.random.Generator, steps: int, *, old: bool, lr: float = 0.03) -> None:
    a, b, target = (rng.uniform(0.5, 1.5, size=3) for _ in range(3))
    first = show_backward("loss_a in the first step", lambda: reference_two(a, b, target)[0])
    answer = student.run(fitted_two, tensor(a), tensor(b), tensor(target), lr, steps, old, returns=FittedTwo)
    a_end, b_end = descend_two(a, b, target, lr, steps)
    shown = {"a": a, "b": b, "lr": lr, "steps": steps}
    if steps == 1:
        first.answered({"a": steps_taken((a,), (answer.a,), lr)[0]})
    expect_close(answer.a, a_end, f"params_a after {steps} steps", shown, CLOSE)
    second = show_backward(
        "loss_b in the first step", lambda: reference_two(descend_two(a, b, target, lr, 1)[0], b, target)[1]
    )
    if steps == 1:
        second.answered({"b": steps_taken((b,), (answer.b,), lr)[0]})
    expect_close(answer.b, b_end, f"params_b after {steps} steps", shown, CLOSE)
    expect(answer.leaves, "The parameters must remain leaves.")


@check("One step of fit", points=1)
def one_step(student: Student, rng: np.random.Generator) -> None:
    expect_fit(student, rng, [1], old=False)


@check("Five steps, then two more", points=3)
def two_calls(student: Student, rng: np.random.Generator) -> None:
    expect_fit(student, rng, [5, 2], old=False)


@check("One step of fit_two", points=1)
def two_groups_one_step(student: Student, rng: np.random.Generator) -> None:
    expect_two(student, rng, 1, old=False)


@check("Existing gradients do not affect the result", points=2, hidden=True)
def old_gradients(student: Student, rng: np.random.Generator) -> None:
    expect_fit(student, rng, [5, 2], old=True)
    expect_fit(student, rng, [0, 3], old=True, lr=0.11)


@check("Five steps of fit_two: each group uses its own loss", points=3, hidden=True)
def two_groups(student: Student, rng: np.random.Generator) -> None:
    expect_two(student, rng, 5, old=False)


@check("fit_two with existing gradients", points=2, hidden=True)
def two_groups_old_gradients(student: Student, rng: np.random.Generator) -> None:
    expect_two(student, rng, 4, old=True, lr=0.05)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    shape = tuple(int(size) for size in rng.integers(1, 4, size=int(rng.integers(0, 3))))
    for old in (False, True):
        sent = [tensor(np.asarray(rng.normal(size=shape))) for _ in range(4)]
        rounds = [int(steps) for steps in rng.integers(0, 5, size=int(rng.integers(1, 4)))]
        student.run(fitted, *sent, float(rng.choice([0.0, 0.01, 0.05])), rounds, old, returns=Fitted)
        sent = [tensor(np.asarray(rng.uniform(-1.5, 1.5, size=shape))) for _ in range(3)]
        steps = int(rng.integers(0, 6))
        student.run(fitted_two, *sent, float(rng.choice([0.0, 0.01, 0.05])), steps, old, returns=FittedTwo)
