"""Only the second derivatives of each entry by itself are used: the diagonal of the Hessian times v."""

import torch


def hvp(f, x, v):
    t = x.detach().clone().requires_grad_()
    y = f(t)
    if not y.requires_grad:
        return torch.zeros_like(t)
    (g,) = torch.autograd.grad(y, t, create_graph=True, materialize_grads=True)
    if not g.requires_grad:
        return torch.zeros_like(t)
    diagonal = torch.zeros(t.numel(), dtype=t.dtype)
    for i, gi in enumerate(g.reshape(-1)):
        (row,) = torch.autograd.grad(gi, t, retain_graph=True, materialize_grads=True)
        diagonal[i] = row.reshape(-1)[i]
    return diagonal.reshape(t.shape) * v.detach()
