"""Nothing is done about a function that does not depend on its argument."""

import torch


def vjp(f, x, v):
    t = x.detach().requires_grad_()
    return torch.autograd.grad(f(t), t, v)[0]


def jacobian_row(f, x, i):
    y = f(x)
    unit = torch.zeros(y.numel(), dtype=y.dtype)
    unit[i] = 1
    return vjp(f, x, unit.reshape(y.shape))


def jacobian_col(f, x, j):
    y = f(x)
    return torch.stack([jacobian_row(f, x, i).flatten()[j] for i in range(y.numel())]).reshape(y.shape)
