"""An x that requires grad is used as it is, and the second pass puts its result into the caller's .grad."""

import torch


def hvp(f, x, v):
    t = x if x.requires_grad else x.detach().clone().requires_grad_()
    y = f(t)
    if not y.requires_grad:
        return torch.zeros_like(v)
    (g,) = torch.autograd.grad(y, t, create_graph=True, materialize_grads=True)
    slope = (g * v.detach()).sum()
    if not slope.requires_grad:
        return torch.zeros_like(v)
    before = None if t.grad is None else t.grad.clone()
    slope.backward(inputs=[t])
    if t.grad is None:
        return torch.zeros_like(v)
    return t.grad.clone() if before is None else t.grad - before
