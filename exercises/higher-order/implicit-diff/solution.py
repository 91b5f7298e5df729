"""The gradient of a solution follows from its equation alone. Both backward passes solve one adjoint system."""

from collections.abc import Callable
from typing import Any

import torch

STEPS = 4000  # a contraction by 0.95 gains two digits in 90 steps
CLOSE = 1e-12


class LinearSolve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, A: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        x = torch.linalg.solve(A, b)
        ctx.save_for_backward(A, x)
        return x

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        A, x = ctx.saved_tensors
        db = torch.linalg.solve(A.mT, g)
        if x.ndim == 1:
            return -torch.outer(db, x), db
        return -db @ x.mT, db


class FixedPoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, f: Callable[..., torch.Tensor], theta: torch.Tensor, z0: torch.Tensor) -> torch.Tensor:
        ctx.f = f
        z = iterate(lambda z: f(z, theta), z0)
        ctx.save_for_backward(theta, z)
        return z

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> tuple[None, torch.Tensor, None]:
        theta, z = (t.detach().requires_grad_() for t in ctx.saved_tensors)
        with torch.enable_grad():
            y = ctx.f(z, theta)
        v = iterate(lambda v: g + torch.autograd.grad(y, z, v, retain_graph=True)[0], g)
        (gradient,) = torch.autograd.grad(y, theta, v)
        return None, gradient, None


def iterate(step: Callable[[torch.Tensor], torch.Tensor], start: torch.Tensor) -> torch.Tensor:
    """Repeats a contraction until it no longer moves."""
    at = start
    for _ in range(STEPS):
        before, at = at, step(at)
        if torch.dist(before, at) <= CLOSE:
            break
    return at


def linear_solve(A: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return LinearSolve.apply(A, b)


def fixed_point(
    f: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], theta: torch.Tensor, z0: torch.Tensor
) -> torch.Tensor:
    return FixedPoint.apply(f, theta, z0)
