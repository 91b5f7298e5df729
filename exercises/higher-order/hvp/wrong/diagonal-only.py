"""The second derivative is treated as elementwise: gradient of the summed gradient, times v by entry."""

import torch


def hvp(f, x, v):
    t = x.detach().clone().requires_grad_()
    y = f(t)
    if not y.requires_grad:
        return torch.zeros_like(t)
    (g,) = torch.autograd.grad(y, t, create_graph=True, materialize_grads=True)
    if not g.requires_grad:
        return torch.zeros_like(t)
    (second,) = torch.autograd.grad(g.sum(), t, materialize_grads=True)
    return second * v.detach()
