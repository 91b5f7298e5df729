"""Row i is taken from y[i], the i-th slice of the first axis, instead of entry i of the flattened output."""

import torch


def _leaf(x):
    return x.detach().clone().requires_grad_()


def _zeros_if_missing(y, t, v):
    if not y.requires_grad:
        return torch.zeros_like(t).detach()
    g = torch.autograd.grad(y, t, v, allow_unused=True, retain_graph=True)[0]
    return torch.zeros_like(t).detach() if g is None else g


def vjp(f, x, v):
    t = _leaf(x)
    return _zeros_if_missing(f(t), t, v)


def jacobian_row(f, x, i):
    t = _leaf(x)
    y = f(t)
    v = torch.zeros_like(y).detach()
    if y.dim() == 0:
        v = torch.ones_like(v)
    else:
        v[i] = 1
    return _zeros_if_missing(y, t, v)


def jacobian_col(f, x, j):
    t = _leaf(x)
    y = f(t)
    flat = y.reshape(-1)
    col = torch.zeros(flat.numel(), dtype=torch.float64)
    for k in range(flat.numel()):
        col[k] = _zeros_if_missing(flat[k], t, None).reshape(-1)[j]
    return col.reshape(y.shape)
