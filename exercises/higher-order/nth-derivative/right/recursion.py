"""Recursion on the order, with materialised gradients."""

import torch


def nth_derivative(f, x, n):
    if not x.requires_grad:
        return nth_derivative(f, x.detach().clone().requires_grad_(), n).detach()
    return _derive(f(x), x, n)


def _derive(y, x, n):
    if n == 0:
        return y
    if y.grad_fn is None and y is not x:
        return torch.zeros_like(x)
    (g,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True, materialize_grads=True)
    return _derive(g, x, n - 1)
