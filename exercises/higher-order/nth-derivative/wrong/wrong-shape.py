"""Entries are summed and not differentiated one by one: the sum of the values is returned for order 0."""

import torch


def nth_derivative(f, x, n):
    point = x * 1 if x.requires_grad else x.detach().clone().requires_grad_()
    y = f(point).sum()
    for _ in range(n):
        if not y.requires_grad:
            return torch.zeros_like(x)
        (g,) = torch.autograd.grad(y.sum(), point, create_graph=True, allow_unused=True)
        y = torch.zeros_like(x) if g is None else g
    return y
