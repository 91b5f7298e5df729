"""requires_grad of the caller's x is switched on and stays on."""

import torch


def slope(y, x):
    if not y.requires_grad:
        return torch.zeros_like(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True, allow_unused=True)
    return torch.zeros_like(x) if g is None else g


def nth_derivative(f, x, n):
    point = x.requires_grad_()
    y = f(point)
    for _ in range(n):
        y = slope(y, point)
    return y
