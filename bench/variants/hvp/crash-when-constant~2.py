"""A constant f is expected, a linear one is not: the second differentiation raises an error."""

import torch


def hvp(f, x, v):
    t = x.detach().clone().requires_grad_()
    y = f(t)
    if not y.requires_grad:
        return torch.zeros_like(x)
    (g,) = torch.autograd.grad(y, t, create_graph=True, materialize_grads=True)
    (hv,) = torch.autograd.grad((g * v.detach()).sum(), t)
    return hv
