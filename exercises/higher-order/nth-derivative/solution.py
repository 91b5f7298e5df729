"""n backward passes, each recorded for the next one. Where nothing depends on x any more, all further derivatives are 0."""

from collections.abc import Callable

import torch


def nth_derivative(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, n: int) -> torch.Tensor:
    point = x * 1 if x.requires_grad else x.detach().clone().requires_grad_()  # a tensor that nothing else depends on
    with torch.enable_grad():
        y = f(point)
        for _ in range(n):
            y = slope(y, point)
    return y if x.requires_grad else y.detach()


def slope(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    if not y.requires_grad:
        return torch.zeros_like(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True, allow_unused=True)
    return torch.zeros_like(x) if g is None else g
