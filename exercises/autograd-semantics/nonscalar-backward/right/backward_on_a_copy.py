"""backward() on a copy whose .grad belongs to nobody else. A constant function has no graph."""

import torch


def vjp(f, x, v):
    copy = torch.tensor(x.tolist(), dtype=torch.float64, requires_grad=True) if x.numel() else x.detach().clone().requires_grad_()
    copy.grad = torch.zeros_like(copy)
    y = f(copy)
    if y.requires_grad:
        y.backward(gradient=v)
    return copy.grad


def jacobian_row(f, x, i):
    with torch.no_grad():
        y = f(x.detach())
    unit = torch.zeros(y.numel(), dtype=y.dtype)
    unit[i] = 1.0
    return vjp(f, x, unit.view(y.shape))


def jacobian_col(f, x, j):
    y = f(x.detach()).detach()
    column = torch.empty(y.numel(), dtype=y.dtype)
    for i in range(len(column)):
        column[i] = jacobian_row(f, x, i).reshape(-1)[j]
    return column.view(y.shape)
