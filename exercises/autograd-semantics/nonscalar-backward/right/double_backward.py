"""The vector-Jacobian product is linear in v: its derivative with respect to v gives a column."""

import torch


def vjp(f, x, v):
    t = x.detach().clone().requires_grad_(True)
    weighted = (f(t) * v).sum()
    if weighted.grad_fn is None:
        return torch.zeros_like(x, requires_grad=False)
    g = torch.autograd.grad(weighted, t, allow_unused=True)[0]
    return torch.zeros(x.shape, dtype=x.dtype) if g is None else g


def jacobian_row(f, x, i):
    t = x.detach().clone().requires_grad_(True)
    entry = f(t).flatten()[i] + 0 * t.sum()
    (row,) = torch.autograd.grad(entry, t)
    return row


def jacobian_col(f, x, j):
    t = x.detach().clone().requires_grad_(True)
    y = f(t)
    v = torch.zeros_like(y).requires_grad_(True)
    (product,) = torch.autograd.grad(y + 0 * t.sum(), t, v, create_graph=True)
    column = torch.autograd.grad(product.flatten()[j] + 0 * v.sum(), v)[0]
    return column.detach()
