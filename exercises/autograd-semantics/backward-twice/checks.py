"""The trunk is random by numbers that are drawn here: every call of it gets another mask, and only the first call counts.
The gradients are computed with numpy and derivatives by hand. The probe keeps the trunk's result and tries to go back
through it once more.
"""

from functools import partial
from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
    Student,
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
from autograder.judge.diagnosis import raises, symptom

NAMES = ("w", "s", "u", "k", "idle")


@probe
def separated(student, values, order, x, masks, old):
    """Call the student's function; both lists now and after changes of .grad, the calls, and what has been freed."""
    import torch

    w, s, u, k, idle = leaves = [t.requires_grad_() for t in values]  # the very tensors: they have to come back unchanged
    if old:
        for n, p in enumerate(leaves):
            p.grad = torch.full_like(p, 0.3 + n)
    params = [leaves[n] for n in order]
    calls, results = [], []

    def trunk(x):
        mask = masks[min(calls.count("trunk"), len(masks) - 1)]
        calls.append("trunk")
        h = torch.tanh(x @ w) * mask * s
        results.append(h)
        return h

    def head_a(h):
        calls.append("head_a")
        return ((h * u) ** 2).mean()

    def head_b(h):
        calls.append("head_b")
        return (h * h * h * k).sum() + (s * s).sum()

    answer = student.grads_per_loss(trunk, head_a, head_b, x, params)
    freed = []
    for h in results:
        try:
            torch.autograd.grad(h.sum(), w)
            freed.append(False)
        except RuntimeError:
            freed.append(True)

    def copied(lists):
        return [[t.clone() if torch.is_tensor(t) else t for t in part] for part in lists]

    pair = isinstance(answer, (tuple, list)) and len(answer) == 2 and all(isinstance(part, list) for part in answer)
    if not pair:
        return {"first": None, "later": None, "calls": sorted(calls), "freed": freed}
    first = copied(answer)
    sum((p * p).sum() for p in leaves).backward()
    for p in leaves:
        p.grad.fill_(7.0)
    return {"first": first, "later": copied(answer), "calls": sorted(calls), "freed": freed}


class Separated(msgspec.Struct):
    """`freed` says for every result of the trunk whether another backward pass through it raised."""

    first: tuple[list[Any], list[Any]] | None
    later: tuple[list[Any], list[Any]] | None
    calls: list[str]
    freed: list[bool]


def truth(values: list[Numbers], x: Numbers, mask: Numbers) -> tuple[list[Numbers], list[Numbers]]:
    w, s, u, k, idle = values
    t = np.tanh(x @ w)
    h = t * mask * s

    def through_trunk(by_h: Numbers) -> tuple[Numbers, Numbers]:
        return x.T @ (by_h * s * mask * (1 - t * t)), (by_h * t * mask).sum(0)

    w_a, s_a = through_trunk(2 * h * u * u / h.size)
    w_b, s_b = through_trunk(3 * h * h * k)
    grads_a = [w_a, s_a, (2 * h * h * u).sum(0) / h.size, np.zeros_like(k), np.zeros_like(idle)]
    grads_b = [w_b, s_b + 2 * s, np.zeros_like(u), (h**3).sum(0), np.zeros_like(idle)]
    return grads_a, grads_b


def reference(values: list[Numbers], x: Numbers, mask: Numbers, order: list[int], loss: str) -> Reference:
    """One of the two losses over the trunk, on tensors of the judge's own."""
    import torch

    leaves = {name: torch.tensor(value, requires_grad=True) for name, value in zip(NAMES, values, strict=True)}
    h = torch.tanh(torch.tensor(x) @ leaves["w"]) * torch.tensor(mask) * leaves["s"]
    if loss == "a":
        out = ((h * leaves["u"]) ** 2).mean()
    else:
        out = (h * h * h * leaves["k"]).sum() + (leaves["s"] * leaves["s"]).sum()
    asked = [NAMES[number] for number in order]
    return Reference([out], {name: leaf for name, leaf in leaves.items() if name in asked or out_reaches(name, loss)})


def out_reaches(name: str, loss: str) -> bool:
    return name in ("w", "s", "u" if loss == "a" else "k")


def look(student: Student, rng: np.random.Generator, order: list[int], *, old: bool, random: bool) -> Separated:
    """Ask, and compare the numbers of both lists; the answer for further questions."""
    n, width = (int(m) for m in rng.integers(3, 6, size=2))
    values = [rng.normal(size=(3, width)), *rng.uniform(0.5, 1.5, size=(3, width)), rng.normal(size=2)]
    x = rng.normal(size=(n, 3))
    masks = rng.uniform(0.5, 2.0, size=(3, n, width)) if random else np.ones((1, n, width))
    sent = [tensor(value) for value in values]
    show_backward("loss a", lambda: reference(values, x, masks[0], order, "a"))
    answer = student.run(separated, sent, order, tensor(x), [tensor(m) for m in masks], old, returns=Separated)
    shown: dict[str, Any] = {"x": x, "params": ", ".join(NAMES[i] for i in order)}
    if answer.first is None or answer.later is None:
        raise fail("grads_per_loss should return two lists.", "two lists", shown)
    for loss, given, expected in zip("ab", answer.first, truth(values, x, masks[0]), strict=True):
        if len(given) != len(order):
            message = f"The list for loss {loss} should have {len(order)} gradients, but has {len(given)}."
            raise fail(message, "two lists", shown)
        picture = show_backward(f"loss {loss}", partial(reference, values, x, masks[0], order, loss))
        picture.answered({NAMES[number]: gradient for number, gradient in zip(order, given, strict=True)})
        for number, gradient in zip(order, given, strict=True):
            what = f"The gradient of loss {loss} with respect to {NAMES[number]}"
            if gradient is None:
                raise fail(
                    f"{what} should be a tensor, but is {describe(gradient)}.", what, shown, expected=expected[number]
                )
            expect_close(gradient, tensor(expected[number]), what, shown, plain=True)
    return answer


def equal(one: Any, other: Any) -> bool:
    """Two lists of gradients, or two gradients."""
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(np.allclose(to_numpy(one), to_numpy(other), rtol=1e-9, atol=1e-12))


def summed(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """The second list has what the first loss left behind."""
    (a, b), (_, mine) = right["first"], given["first"]
    return len(mine) == len(a) and all(equal(to_numpy(x) + to_numpy(y), z) for x, y, z in zip(a, b, mine, strict=True))


def unreached(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """Where zeros are due there is None, or nothing."""
    pairs = list(zip(right["first"], given["first"], strict=True))
    kept = [[g for g in gs if g is not None] for _, gs in pairs]
    due = [[g for g in gs if to_numpy(g).any()] for gs, _ in pairs]
    return any(len(gs) < len(all_of) for gs, (all_of, _) in zip(kept, pairs, strict=True)) and equal(kept, due)


def cut_off(right: dict[str, Any], given: dict[str, Any]) -> bool:
    """Some gradients of the second loss are zero that are not, and those of the first loss are right."""
    (a, b), (mine_a, mine_b) = right["first"], given["first"]
    lost = [not to_numpy(g).any() for t, g in zip(b, mine_b, strict=True) if to_numpy(t).any()]
    return equal(a, mine_a) and any(lost) and not all(lost)


symptom("aliases-grad", lambda right, given: not equal(given["first"], given["later"]))
symptom("grads-not-separated", summed)
symptom("detached-branch", cut_off)
symptom("graph-freed", raises("backward through the graph a second time"), raised=True)
symptom("none-for-unreached", unreached)
symptom("recompute-trunk", lambda right, given: given["calls"].count("trunk") > 1)
symptom("retains-graph", lambda right, given: not all(given["freed"]) and equal(given["first"], right["first"]))


def expect_calls(answer: Separated) -> None:
    for name in ("trunk", "head_a", "head_b"):
        expect_equal(answer.calls.count(name), 1, f"The number of calls of {name}")


@check("Both lists, for parameters that both losses depend on; the trunk runs once", points=3)
def both_lists(student: Student, rng: np.random.Generator) -> None:
    expect_calls(look(student, rng, [0, 1], old=False, random=False))


@check("Parameters that only one loss depends on", points=1)
def one_loss_only(student: Student, rng: np.random.Generator) -> None:
    look(student, rng, [0, 1, 2, 3], old=False, random=False)


@check("Existing gradients, and parameters in any order", points=2, hidden=True)
def old_gradients(student: Student, rng: np.random.Generator) -> None:
    for _ in range(2):
        order = [int(n) for n in rng.permutation(5)]
        look(student, rng, order, old=True, random=False)


@check("A random trunk and each head are called once", points=2, hidden=True)
def random_trunk(student: Student, rng: np.random.Generator) -> None:
    expect_calls(look(student, rng, [0, 1, 2, 3, 4], old=False, random=True))
    expect_calls(look(student, rng, [3, 2, 0], old=True, random=True))


@check("The lists do not change when .grad changes later", points=2, hidden=True)
def lists_stay(student: Student, rng: np.random.Generator) -> None:
    for old in (False, True):
        answer = look(student, rng, [0, 1, 2, 3, 4], old=old, random=True)
        assert answer.first is not None and answer.later is not None
        for loss, first, later in zip("ab", answer.first, answer.later, strict=True):
            expect_equal(len(later), len(first), "The length of a list")
            for position, (before, after) in enumerate(zip(first, later, strict=True)):
                what = f"Gradient {position} of loss {loss}, after the .grad of the parameters has changed,"
                expect_close(after, before, what)


@check("The trunk's graph is freed", points=2, hidden=True)
def trunk_freed(student: Student, rng: np.random.Generator) -> None:
    for old in (False, True):
        answer = look(student, rng, [0, 1, 2, 3, 4], old=old, random=True)
        message = (
            "After the call, another backward pass through the trunk should raise an error, but its graph is still alive."
        )
        expect(bool(answer.freed) and all(answer.freed), message, "graph freed")


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for old in (False, True):
        n, width = (int(m) for m in rng.integers(1, 5, size=2))
        values = [rng.normal(size=(3, width)), *rng.normal(size=(3, width)), rng.normal(size=2)]
        order = [int(m) for m in rng.permutation(5)[: int(rng.integers(1, 6))]]
        masks = rng.choice([0.0, 0.5, 2.0], size=(3, n, width))
        sent = [tensor(value) for value in values]
        x = tensor(rng.normal(size=(n, 3)))
        student.run(separated, sent, order, x, [tensor(mask) for mask in masks], old, returns=Separated)
