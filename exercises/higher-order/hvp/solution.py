"""Hessian-vector product, reverse over reverse: the gradient of <gradient, v>."""

from collections.abc import Callable

import torch


def hvp(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    point = x.detach().clone().requires_grad_()  # a new leaf, so that the caller's x does not change
    direction = v.detach()
    gradient = gradient_or_zeros(f(point), point, create_graph=True)
    slope = (gradient * direction).sum()
    return gradient_or_zeros(slope, point)


def gradient_or_zeros(y: torch.Tensor, x: torch.Tensor, create_graph: bool = False) -> torch.Tensor:
    """The gradient of y with respect to x, or zeros if y does not depend on x."""
    if not y.requires_grad:
        return torch.zeros_like(x)
    (gradient,) = torch.autograd.grad(y, x, create_graph=create_graph, allow_unused=True)
    return torch.zeros_like(x) if gradient is None else gradient
