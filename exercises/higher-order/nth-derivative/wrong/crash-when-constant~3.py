"""A missing graph is handled, a graph that does not reach x is not."""

import torch


def slope(y, x):
    if not y.requires_grad:
        return torch.zeros_like(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g


def nth_derivative(f, x, n):
    point = x * 1 if x.requires_grad else x.detach().clone().requires_grad_()
    y = f(point)
    for _ in range(n):
        y = slope(y, point)
    return y
