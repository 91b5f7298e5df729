"""x itself is made to require grad, and keeps the flag."""

import torch


def vjp(f, x, v):
    if not x.requires_grad:
        x.requires_grad_()
    y = f(x)
    if not y.requires_grad:
        return torch.zeros(x.shape, dtype=x.dtype)
    return torch.autograd.grad(y, x, v, materialize_grads=True)[0]


def jacobian_row(f, x, i):
    y = f(x)
    unit = torch.zeros(y.numel(), dtype=y.dtype)
    unit[i] = 1
    return vjp(f, x, unit.reshape(y.shape))


def jacobian_col(f, x, j):
    y = f(x)
    return torch.stack([jacobian_row(f, x, i).flatten()[j] for i in range(y.numel())]).reshape(y.shape)
