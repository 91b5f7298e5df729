"""y[i] is a whole slice if y has two axes, and its entries are summed."""

import torch


def vjp(f, x, v):
    t = x.detach().requires_grad_()
    y = f(t)
    if not y.requires_grad:
        return torch.zeros(x.shape, dtype=x.dtype)
    return torch.autograd.grad(y, t, v, materialize_grads=True)[0]


def jacobian_row(f, x, i):
    t = x.detach().requires_grad_()
    y = f(t)
    y = y.reshape(1) if y.dim() == 0 else y
    if not y.requires_grad:
        return torch.zeros(x.shape, dtype=x.dtype)
    return torch.autograd.grad(y[i % len(y)].sum(), t, materialize_grads=True)[0]


def jacobian_col(f, x, j):
    y = f(x.detach())
    column = []
    for k in range(y.numel()):
        unit = torch.zeros(y.numel(), dtype=y.dtype)
        unit[k] = 1
        column.append(vjp(f, x, unit.reshape(y.shape)).flatten()[j])
    return torch.stack(column).reshape(y.shape)
