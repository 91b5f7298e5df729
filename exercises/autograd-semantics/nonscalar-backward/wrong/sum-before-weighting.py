"""The gradient of the sum, times v."""

import torch


def vjp(f, x, v):
    t = x.detach().requires_grad_()
    y = f(t)
    if not y.requires_grad:
        return torch.zeros(x.shape, dtype=x.dtype)
    g = torch.autograd.grad(y.sum(), t, materialize_grads=True)[0]
    return g * v.sum()


def jacobian_row(f, x, i):
    t = x.detach().requires_grad_()
    y = f(t).flatten()
    if not y.requires_grad:
        return torch.zeros(x.shape, dtype=x.dtype)
    return torch.autograd.grad(y[i], t, materialize_grads=True)[0]


def jacobian_col(f, x, j):
    y = f(x.detach())
    return torch.stack([jacobian_row(f, x, i).flatten()[j] for i in range(y.numel())]).reshape(y.shape)
