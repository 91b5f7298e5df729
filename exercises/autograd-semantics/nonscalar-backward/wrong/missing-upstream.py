"""The outputs are summed so that backward runs; v is never used."""

import torch


def vjp(f, x, v):
    t = x.detach().clone().requires_grad_()
    y = f(t)
    if not y.requires_grad:
        return torch.zeros_like(t).detach()
    g, = torch.autograd.grad(y.sum(), t, allow_unused=True)
    return torch.zeros_like(t).detach() if g is None else g


def jacobian_row(f, x, i):
    return vjp(lambda t: f(t).flatten()[i], x, None)


def jacobian_col(f, x, j):
    y = f(x.detach()).detach()
    rows = [jacobian_row(f, x, i).flatten()[j] for i in range(y.numel())]
    return torch.stack(rows).reshape(y.shape)
