"""A unit vector as upstream gradient gives a row. The same is tried for a column, in the shape of the output."""

import torch


def vjp(f, x, v):
    t = x.detach().requires_grad_()
    y = f(t)
    if y.grad_fn is None and y is not t:
        return torch.zeros(x.shape, dtype=x.dtype)
    return torch.autograd.grad(y, t, v, materialize_grads=True)[0]


def jacobian_row(f, x, i):
    y = f(x.detach())
    unit = torch.zeros(y.numel(), dtype=y.dtype)
    unit[i] = 1
    return vjp(f, x, unit.reshape(y.shape))


def jacobian_col(f, x, j):
    y = f(x.detach())
    unit = torch.zeros(y.numel(), dtype=y.dtype)
    unit[j] = 1
    return vjp(f, x, unit.reshape(y.shape)).reshape(y.shape)
