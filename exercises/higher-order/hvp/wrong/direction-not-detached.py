"""v takes part in the second differentiation: where it is x, or made from x, a term too many appears."""

import torch


def hvp(f, x, v):
    t = x if x.requires_grad else x.detach().clone().requires_grad_()
    y = f(t)
    if not y.requires_grad:
        return torch.zeros_like(t)
    (g,) = torch.autograd.grad(y, t, create_graph=True, materialize_grads=True)
    slope = (g * v).sum()
    if not slope.requires_grad:
        return torch.zeros_like(t)
    (hv,) = torch.autograd.grad(slope, t, retain_graph=True, materialize_grads=True)
    return hv
