"""The column comes from a double backward pass, and still has the graph of the first one."""

import torch


def vjp(f, x, v):
    t = x.detach().requires_grad_()
    y = f(t)
    if not y.requires_grad:
        return torch.zeros(x.shape, dtype=x.dtype)
    return torch.autograd.grad(y, t, v, create_graph=True, materialize_grads=True)[0]


def jacobian_row(f, x, i):
    y = f(x)
    unit = torch.zeros(y.numel(), dtype=y.dtype)
    unit[i] = 1
    return vjp(f, x, unit.reshape(y.shape))


def jacobian_col(f, x, j):
    y = f(x)
    return torch.stack([jacobian_row(f, x, i).flatten()[j] for i in range(y.numel())]).reshape(y.shape)
