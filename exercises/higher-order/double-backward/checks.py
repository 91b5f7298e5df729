"""Both Functions against torch: values, first derivatives, and second derivatives of the softmax."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from autograder.judge.checks import TENSOR, Student, check, expect, expect_close, probe, tensor, variety
from autograder.judge.checks.functions import (
    expect_direct_backward,
    expect_function_vjp,
    expect_gradcheck,
    expect_gradgradcheck,
    expect_second_vjp,
)
from autograder.judge.diagnosis import forward_of, raises, symptom

LAYOUTS = ("contiguous", "transposed", "strided")


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


def softmax_backward(g: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return y * g - y * (g * y).sum(-1, keepdim=True)


REFERENCES: dict[str, tuple[Callable[..., Any], int]] = {
    "SoftmaxFn": (softmax, 1),
    "SoftmaxBackwardFn": (softmax_backward, 2),
}


def numbers(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.choice([-1.0, 1.0], shape) * rng.uniform(0.4, 1.6, shape)))


def points(rng: np.random.Generator, name: str, shapes: list[tuple[int, ...]]) -> list[Any]:
    """Inputs and an upstream gradient of each shape."""
    count = REFERENCES[name][1]
    return [(tuple(numbers(rng, *shape) for _ in range(count)), (numbers(rng, *shape),)) for shape in shapes]


def special(rng: np.random.Generator) -> list[Any]:
    """Inputs, upstream gradients and weights of the softmax: zeros and ties, and entries or whole rows of up to 1000."""
    x, g, weights = (numbers(rng, 3, 4, 3) for _ in range(3))
    x[0], x[1], g[:, 0], g[:, 1, 1:], weights[:, 2], weights[:, 3, 0] = 0.0, x[1, :, :1], 0.0, -0.0, 0.0, -0.0
    found = [((x,), (g,), (weights,))]
    x = numbers(rng, 4, 3) + torch.tensor([[999.0], [-999.0], [0.0], [500.0]], dtype=torch.float64)
    found.append(((x,), (numbers(rng, 4, 3),), (numbers(rng, 4, 3),)))
    x = numbers(rng, 2, 4) + torch.tensor([999.0, -999.0, 999.0, 998.0], dtype=torch.float64)
    found.append(((x,), (numbers(rng, 2, 4),), (numbers(rng, 2, 4),)))
    return found


def with_zeros(rng: np.random.Generator) -> list[Any]:
    """Arguments and upstream gradients of SoftmaxBackwardFn: zeros in each, tiny and huge numbers."""
    g, y, h = (numbers(rng, 3, 3, 3) for _ in range(3))
    g[0], g[1, 1], y[:, 0], y[:, 1, 1], h[:, :, 0], h[1, 2] = 0.0, -0.0, 0.0, -0.0, 0.0, -0.0
    found = [((g, y), (h,))]
    for size in (1e-40, 1e40):
        g, y, h = (numbers(rng, 2, 3) for _ in range(3))
        found += [((g * size, y), (h,)), ((g, y), (h * size,)), ((g * size, y / size), (h,))]
    return found


@check("The softmax and its gradient", points=2)
def first_derivative(student: Student, rng: np.random.Generator) -> None:
    expect_function_vjp(student, "SoftmaxFn", points(rng, "SoftmaxFn", [(4,), (3, 4)]), softmax)


@check("SoftmaxBackwardFn and its two gradients", points=2)
def both_gradients(student: Student, rng: np.random.Generator) -> None:
    asked = points(rng, "SoftmaxBackwardFn", [(3,), (2, 3)])
    expect_function_vjp(student, "SoftmaxBackwardFn", asked, softmax_backward)


@check("The second derivative of the softmax", points=2)
def second_derivative(student: Student, rng: np.random.Generator) -> None:
    asked = [(xs, gs, (numbers(rng, *xs[0].shape),)) for xs, gs in points(rng, "SoftmaxFn", [(3,), (2, 4)])]
    expect_second_vjp(student, "SoftmaxFn", asked, softmax)


@check("Any number of axes, of any size", points=2, hidden=True)
def shapes(student: Student, rng: np.random.Generator) -> None:
    shapes = [(1,), (5,), (3, 1), (1, 3), (3, 3), (2, 1, 3), (3, 3, 3), (0, 3), (2, 0, 1), (2, 2, 1, 2)]
    for name, (reference, _) in REFERENCES.items():
        expect_function_vjp(student, name, points(rng, name, shapes), reference)
    asked = [(xs, gs, (numbers(rng, *xs[0].shape),)) for xs, gs in points(rng, "SoftmaxFn", shapes)]
    expect_second_vjp(student, "SoftmaxFn", asked, softmax)


@check("Large entries, ties and zeros", points=2, hidden=True)
def special_points(student: Student, rng: np.random.Generator) -> None:
    asked = special(rng)
    expect_function_vjp(student, "SoftmaxFn", [(xs, gs) for xs, gs, _ in asked], softmax)
    expect_second_vjp(student, "SoftmaxFn", asked, softmax)
    expect_function_vjp(student, "SoftmaxBackwardFn", with_zeros(rng), softmax_backward)


@check("torch.autograd.gradcheck and gradgradcheck", points=2, hidden=True)
def gradchecks(student: Student, rng: np.random.Generator) -> None:
    expect_gradcheck(student, "SoftmaxFn", numbers(rng, 2, 3))
    expect_gradcheck(student, "SoftmaxBackwardFn", numbers(rng, 2, 2), numbers(rng, 2, 2))
    expect_gradgradcheck(student, "SoftmaxFn", numbers(rng, 4), upstream=(numbers(rng, 4),))


@check("What backward itself returns", points=1, hidden=True)
def direct_backward(student: Student, rng: np.random.Generator) -> None:
    for name, (reference, _) in REFERENCES.items():
        expect_direct_backward(student, name, points(rng, name, [(4,), (2, 1, 3), (3, 1)]), reference)


@probe
def in_one_graph(student, softmaxes, backwards):
    """All calls are made before the first backward pass. For the softmax the value, its gradient, and the second derivatives
    with respect to x and to the upstream gradient. For SoftmaxBackwardFn the value, and the gradient of the only input that
    requires grad."""
    import torch

    applied = [(x.requires_grad_(), student.SoftmaxFn.apply(x), g.requires_grad_(), w) for x, g, w in softmaxes]
    partly = []
    for n, (g, y, h) in enumerate(backwards):
        needs = (g, y)[n % 2].requires_grad_()
        partly.append((needs, student.SoftmaxBackwardFn.apply(g, y), h))
    firsts = [torch.autograd.grad(y, x, g, create_graph=True)[0] for x, y, g, _ in applied]
    seconds = [torch.autograd.grad(first, (x, g), w) for first, (x, _, g, w) in zip(firsts, applied)]
    found = [[y, first, *second] for (_, y, _, _), first, second in zip(applied, firsts, seconds)]
    return found + [[u, torch.autograd.grad(u, needs, h)[0]] for needs, u, h in partly]


@check("Memory layouts, several calls before backward, and one input that requires grad", points=2, hidden=True)
def layouts(student: Student, rng: np.random.Generator) -> None:
    three = [[numbers(rng, *shape) for _ in range(3)] for shape in ((3, 4), (4, 3), (2, 3, 2), (3,), (4, 3), (3, 4)) * 2]
    sent = [
        [tensor(t.numpy(), layout=LAYOUTS[(n // 2 + k) % 3]) for k, t in enumerate(tensors)]
        for n, tensors in enumerate(three)
    ]
    answers = student.run(in_one_graph, sent[:6], sent[6:], returns=list[list[Any]])
    expect([len(answer) for answer in answers] == [4] * 6 + [2] * 6, "The results of several calls could not be read.")
    for (x, g, w), answer in zip(three[:6], answers[:6], strict=True):
        x, g = x.clone().requires_grad_(), g.clone().requires_grad_()
        y = softmax(x)
        (first,) = torch.autograd.grad(y, x, g, create_graph=True)
        truths = (y, first, *torch.autograd.grad(first, (x, g), w))
        shown = {"x": x, "upstream": g, "weights": w}
        for what, given, truth in zip(("value", "gradient", *["second derivative"] * 2), answer, truths, strict=True):
            expect_close(given, truth.detach(), f"The {what} of SoftmaxFn", shown, TENSOR)
    for n, ((g, y, h), answer) in enumerate(zip(three[6:], answers[6:], strict=True)):
        needs = (g, y)[n % 2]
        g, y = (t.clone().requires_grad_(t is needs) for t in (g, y))
        u = softmax_backward(g, y)
        (gradient,) = torch.autograd.grad(u, (g, y)[n % 2], h)
        shown = {"g": g, "y": y, "upstream": h}
        expect_close(answer[0], u.detach(), "The value of SoftmaxBackwardFn", shown, TENSOR)
        what = f"The gradient of SoftmaxBackwardFn with respect to {'gy'[n % 2]}, which alone requires grad,"
        expect_close(answer[1], gradient, what, shown, TENSOR)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    shapes = [
        tuple(int(n) for n in (*rng.integers(0, 4, size=int(rng.integers(0, 3))), rng.integers(1, 5))) for _ in range(3)
    ]
    scales = (0.0, 1.0, 500.0)
    for name in REFERENCES:
        asked = []
        for xs, gs in points(rng, name, shapes):
            scaled = [[t * float(rng.choice(scales[: 4 - len(xs)])) for t in xs], [gs[0] * float(rng.choice(scales))]]
            asked.append(scaled)
        student.operate("function.vjp", asked, name=name)
        student.operate("function.backward", asked, name=name)
        if name == "SoftmaxFn":
            second = [[xs, gs, [numbers(rng, *gs[0].shape)]] for xs, gs in asked]
            student.operate("function.second_vjp", second, name=name)
    sent = [[tensor(numbers(rng, 3, 2).numpy()) for _ in range(3)] for _ in range(2)]
    student.run(in_one_graph, sent[:1], sent[1:], returns=list[list[Any]])


# -- what a wrong answer shows -------------------------------------------------------------------------------------------


def softmax_in_steps(x: torch.Tensor) -> torch.Tensor:
    shifted = torch.exp(x - x.amax(-1, keepdim=True).detach())
    return shifted / shifted.sum(-1, keepdim=True)


forward_of("SoftmaxFn", softmax_in_steps)
forward_of("SoftmaxBackwardFn", lambda g, y: y * (g - (g * y).sum(-1, keepdim=True)))
symptom("no-second-order", raises("once_differentiable", "does not require grad"), raised=True)
