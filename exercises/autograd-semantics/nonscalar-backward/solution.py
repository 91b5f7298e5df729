"""A row is a vector-Jacobian product with a unit vector; a column is collected from all rows."""

from collections.abc import Callable

import torch

Function = Callable[[torch.Tensor], torch.Tensor]


def vjp(f: Function, x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    leaf = x.detach().requires_grad_()
    y = f(leaf)
    if not y.requires_grad:
        return torch.zeros_like(leaf, requires_grad=False)
    (product,) = torch.autograd.grad(y, leaf, v, materialize_grads=True)
    return product


def jacobian_row(f: Function, x: torch.Tensor, i: int) -> torch.Tensor:
    weights = torch.zeros(f(x).shape, dtype=x.dtype)
    weights.view(-1)[i] = 1.0
    return vjp(f, x, weights)


def jacobian_col(f: Function, x: torch.Tensor, j: int) -> torch.Tensor:
    y = f(x)
    rows = [jacobian_row(f, x, i) for i in range(y.numel())]
    return torch.stack([row.flatten()[j] for row in rows]).reshape(y.shape)
