"""Works on the caller's x: its requires_grad is switched on and its .grad ends up with the result."""

import torch


def hvp(f, x, v):
    direction = v.detach().clone()
    x.requires_grad_(True)
    x.grad = None
    y = f(x)
    if not y.requires_grad:
        return torch.zeros_like(direction)
    (g,) = torch.autograd.grad(y, x, create_graph=True, materialize_grads=True)
    slope = (g * direction).sum()
    if not slope.requires_grad:
        return torch.zeros_like(direction)
    slope.backward()
    return torch.zeros_like(direction) if x.grad is None else x.grad
