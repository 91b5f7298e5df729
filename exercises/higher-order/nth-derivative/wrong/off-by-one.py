"""The loop begins at 1 and ends before n."""

import torch


def slope(y, x):
    if not y.requires_grad:
        return torch.zeros_like(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True, allow_unused=True)
    return torch.zeros_like(x) if g is None else g


def nth_derivative(f, x, n):
    point = x * 1 if x.requires_grad else x.detach().clone().requires_grad_()
    y = f(point)
    for _ in range(1, n):
        y = slope(y, point)
    return y
