"""One vector-Jacobian product for every entry of the output, all on the same graph."""

from collections.abc import Callable

import torch


def jacobian(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    point = x.detach().clone().requires_grad_()  # a new leaf: the caller's x stays as it is
    y = f(point)
    rows = [gradient_or_zeros(entry, point) for entry in y.flatten()]
    return torch.stack(rows).reshape(y.shape + x.shape)


def batch_jacobian(f: Callable[[torch.Tensor], torch.Tensor], xb: torch.Tensor) -> torch.Tensor:
    return torch.stack([jacobian(f, x) for x in xb])


def gradient_or_zeros(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The gradient of y with respect to x, or zeros if y does not depend on x."""
    if not y.requires_grad:
        return torch.zeros_like(x)
    (gradient,) = torch.autograd.grad(y, x, retain_graph=True, allow_unused=True)
    return torch.zeros_like(x) if gradient is None else gradient
