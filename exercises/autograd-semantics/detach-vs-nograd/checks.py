"""Values and gradients by formula. No numeric derivative could tell: a blocked gradient is a convention, not a slope."""

from typing import Any

import msgspec
import numpy as np

from autograder.judge.arrays import Numbers
from autograder.judge.checks import (
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
from autograder.judge.diagnosis import reads_as


@probe
def pulled(student, name, arguments, numbers, upstreams):
    """Call the function on leaves; its outputs, and what reaches every leaf when these upstreams are sent back."""
    import torch

    leaves = [t.requires_grad_() for t in arguments]
    result = getattr(student, name)(*leaves, *numbers)
    outputs = list(result) if isinstance(result, (tuple, list)) else [result]
    pairs = [
        (y, g)
        for y, g in zip(outputs, upstreams)
        if torch.is_tensor(y) and g is not None and y.requires_grad and y.shape == g.shape
    ]
    grads = [None] * len(leaves)
    if pairs:
        ys, gs = zip(*pairs)
        grads = list(torch.autograd.grad(ys, leaves, gs, allow_unused=True))
    return {"outputs": outputs, "grads": grads}


def reading(answer: dict[str, Any], *_: Any) -> dict[str, Any]:
    """A gradient of zeros is as good as none."""
    grads = [None if g is None or not to_numpy(g).any() else g for g in answer["grads"]]
    return {**answer, "grads": grads}


reads_as("pulled", reading)


class Pulled(msgspec.Struct):
    outputs: list[Any]
    grads: list[Any]


def reference(
    name: str, inputs: dict[str, Numbers], numbers: dict[str, float], upstreams: list[Numbers | None]
) -> Reference:
    """Each loss with its gradient blocked, on tensors of the judge's own."""
    import torch
    from torch.nn.functional import cosine_similarity

    leaves = {label: torch.tensor(x, requires_grad=True) for label, x in inputs.items()}
    if name == "td_loss":
        target = (leaves["r"] + numbers["gamma"] * leaves["v_next"]).detach()
        outputs = [((leaves["v"] - target) ** 2).mean()]
    elif name == "siam_loss":
        one = cosine_similarity(leaves["p1"], leaves["z2"].detach(), dim=1).mean()
        two = cosine_similarity(leaves["p2"], leaves["z1"].detach(), dim=1).mean()
        outputs = [-(one + two) / 2]
    else:
        z, e = leaves["z"], leaves["e"]
        loss = ((z.detach() - e) ** 2).mean() + numbers["beta"] * ((z - e.detach()) ** 2).mean()
        outputs = [z + (e - z).detach(), loss]
    pulled = [(out, torch.tensor(up)) for out, up in zip(outputs, upstreams, strict=True) if up is not None]
    return Reference([out for out, _ in pulled], leaves, [up for _, up in pulled])


def expect_pulled(
    student: Student,
    name: str,
    inputs: dict[str, Numbers],
    numbers: dict[str, float],
    upstreams: list[Numbers | None],
    values: dict[str, Numbers],
    grads: dict[str, Numbers],
) -> None:
    """`grads` has the truth for those inputs that get a gradient; every other one must get nothing."""
    sent = [None if g is None else tensor(g) for g in upstreams]
    arguments = [tensor(x) for x in inputs.values()]
    picture = show_backward(name, lambda: reference(name, inputs, numbers, upstreams))
    answer = student.run(pulled, name, arguments, list(numbers.values()), sent, returns=Pulled)
    shown: dict[str, Any] = {**inputs, **numbers}
    if len(answer.outputs) != len(values):
        raise fail(f"{name} should return {len(values)} tensors, but returned {len(answer.outputs)}.", name, shown)
    for (what, value), given in zip(values.items(), answer.outputs, strict=True):
        expect_close(given, tensor(value), f"{name}: {what}", shown)
    shown |= {f"upstream of {what}": g for what, g in zip(values, upstreams, strict=True) if g is not None}
    expect_equal(len(answer.grads), len(inputs), "The number of gradients")
    picture.answered(dict(zip(inputs, answer.grads, strict=True)))
    for label, given in zip(inputs, answer.grads, strict=True):
        what = f"{name}: the gradient of {label}"
        if label in grads:
            if given is None:
                raise fail(f"{what} is missing: no gradient arrives there.", what, shown, expected=grads[label])
            expect_close(given, tensor(grads[label]), what, shown)
        elif given is not None and (not hasattr(given, "dtype") or to_numpy(given).any()):
            raise fail(f"{what} should be None or zero, but is {describe(given)}.", what, shown, given=given)


def number(rng: np.random.Generator) -> Numbers:
    return np.asarray(rng.uniform(0.5, 2.5) * rng.choice([-1.0, 1.0]))


def expect_td(student: Student, rng: np.random.Generator, n: int, *, hit: int = 0) -> None:
    """The first `hit` targets are what was predicted: the loss has no slope there."""
    v, v_next, r = rng.normal(size=(3, n))
    gamma, g = float(rng.uniform(0.5, 0.99)), number(rng)
    v[:hit] = r[:hit] + gamma * v_next[:hit]
    error = v - (r + gamma * v_next)
    inputs = {"v": v, "v_next": v_next, "r": r}
    value = np.asarray((error**2).mean())
    expect_pulled(student, "td_loss", inputs, {"gamma": gamma}, [g], {"the loss": value}, {"v": g * 2 * error / n})


def cosine(p: Numbers, z: Numbers) -> tuple[Numbers, Numbers]:
    """Per row the cosine, and its slope by p."""
    p_length, z_length = (np.sqrt((x * x).sum(1, keepdims=True)) for x in (p, z))
    value = (p * z).sum(1, keepdims=True) / (p_length * z_length)
    return value, z / (p_length * z_length) - value * p / p_length**2


def expect_siam(student: Student, rng: np.random.Generator, n: int, d: int, *, square: bool = False) -> None:
    """With `square`, p is at right angles to z: every cosine is 0."""
    p1, z1, p2, z2 = rng.normal(size=(4, n, d)) * rng.uniform(0.5, 3.0, size=(4, 1, 1))
    if square:
        for p, z in ((p1, z2), (p2, z1)):
            p[:, 1:], z[:, :1] = 0.0, 0.0
    g = number(rng)
    (one, slope_1), (two, slope_2) = cosine(p1, z2), cosine(p2, z1)
    value = np.asarray(-(one.mean() + two.mean()) / 2)
    grads = {"p1": -g * slope_1 / (2 * n), "p2": -g * slope_2 / (2 * n)}
    inputs = {"p1": p1, "z1": z1, "p2": p2, "z2": z2}
    expect_pulled(student, "siam_loss", inputs, {}, [g], {"the loss": value}, grads)


def expect_vq(
    student: Student, rng: np.random.Generator, shape: tuple[int, ...], *, through: str = "q and loss", hit: bool = False
) -> None:
    """Pull through q, through the loss, or through both at once. With `hit`, z is e: the loss is 0 and has no slope."""
    z, e = rng.normal(size=shape), rng.normal(size=shape)
    e.flat[0] = 0.0
    z = e.copy() if hit else z
    beta, up, g = float(rng.uniform(0.1, 0.9)), rng.normal(size=shape), number(rng)
    error = z - e
    value = np.asarray((1 + beta) * (error**2).mean())
    to_z, to_e = np.zeros(shape), np.zeros(shape)
    if "q" in through:
        to_z = to_z + up
    if "loss" in through:
        to_z, to_e = to_z + g * beta * 2 * error / z.size, to_e - g * 2 * error / z.size
    upstreams: list[Numbers | None] = [up if "q" in through else None, g if "loss" in through else None]
    grads = {"z": to_z, "e": to_e} if "loss" in through else {"z": to_z}
    expect_pulled(student, "vq", {"z": z, "e": e}, {"beta": beta}, upstreams, {"q": e, "the loss": value}, grads)


@check("td_loss: the gradient reaches v only", points=1)
def td_simple(student: Student, rng: np.random.Generator) -> None:
    expect_td(student, rng, 4)


@check("siam_loss: the gradient reaches p1 and p2 only", points=1)
def siam_simple(student: Student, rng: np.random.Generator) -> None:
    expect_siam(student, rng, 3, 4)


@check("vq: q and loss together", points=1.5)
def vq_simple(student: Student, rng: np.random.Generator) -> None:
    expect_vq(student, rng, (3, 4))


@check("td_loss for other lengths, including a single entry", points=1.5, hidden=True)
def td_lengths(student: Student, rng: np.random.Generator) -> None:
    for n in (1, int(rng.integers(2, 5)), int(rng.integers(5, 12))):
        expect_td(student, rng, n)
    expect_td(student, rng, 3, hit=1)
    expect_td(student, rng, 2, hit=2)


@check("siam_loss for other shapes, including a single row", points=2, hidden=True)
def siam_shapes(student: Student, rng: np.random.Generator) -> None:
    for n, d in ((1, 3), (4, 4), (int(rng.integers(5, 8)), 2)):
        expect_siam(student, rng, n, d)
    expect_siam(student, rng, 2, 3, square=True)


@check("vq: the gradient through q alone", points=1.5, hidden=True)
def vq_through_q(student: Student, rng: np.random.Generator) -> None:
    for shape in ((1, 3), (5, 2), (4,)):
        expect_vq(student, rng, shape, through="q")


@check("vq: the gradient through the loss alone", points=1.5, hidden=True)
def vq_through_loss(student: Student, rng: np.random.Generator) -> None:
    for shape in ((1, 3), (5, 2), (4,)):
        expect_vq(student, rng, shape, through="loss")
        expect_vq(student, rng, shape)
    expect_vq(student, rng, (2, 3), hit=True)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    def sparse(*shape: int) -> Numbers:
        return np.asarray(rng.normal(size=shape) * (rng.random(shape) < 0.7))

    n, d = int(rng.integers(1, 7)), int(rng.integers(1, 6))
    shape = tuple(int(size) for size in rng.integers(1, 4, size=int(rng.integers(0, 4))))
    asked: list[tuple[str, list[Numbers], list[float], list[Numbers | None]]] = [
        ("td_loss", list(sparse(3, n)), [float(rng.choice([0.0, 0.9, 1.0]))], [number(rng)]),
        ("siam_loss", list(rng.normal(size=(4, n, d)) * rng.uniform(0.01, 30)), [], [number(rng)]),
    ]
    for through in ("q", "loss", "q and loss"):
        up: Numbers | None = np.asarray(rng.normal(size=shape)) if "q" in through else None
        z, e = sparse(*shape), sparse(*shape)
        asked.append(("vq", [z, e], [float(rng.choice([0.0, 0.25, 2.0]))], [up, number(rng) if "loss" in through else None]))
    for name, inputs, numbers, upstreams in asked:
        sent = [None if g is None else tensor(g) for g in upstreams]
        student.run(pulled, name, [tensor(x) for x in inputs], numbers, sent, returns=Pulled)
        student.call_and_see(name, *(tensor(x) for x in inputs), *numbers)  # nothing requires grad here
