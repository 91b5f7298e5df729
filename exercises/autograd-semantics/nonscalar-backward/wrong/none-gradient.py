"""allow_unused gives None, and None is returned."""

import torch


def vjp(f, x, v):
    t = x.detach().requires_grad_()
    y = f(t)
    if not y.requires_grad:
        return None
    return torch.autograd.grad(y, t, v, allow_unused=True)[0]


def jacobian_row(f, x, i):
    t = x.detach().requires_grad_()
    y = f(t).flatten()
    if not y.requires_grad:
        return None
    return torch.autograd.grad(y[i], t, allow_unused=True)[0]


def jacobian_col(f, x, j):
    y = f(x.detach())
    rows = [jacobian_row(f, x, i) for i in range(y.numel())]
    if any(row is None for row in rows):
        return None
    return torch.stack([row.flatten()[j] for row in rows]).reshape(y.shape)
