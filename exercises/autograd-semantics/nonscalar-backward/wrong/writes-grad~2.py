"""backward() on x itself: the result is right, because .grad is cleared first, and x.grad is overwritten."""

import torch


def vjp(f, x, v):
    needed = x.requires_grad
    if x.is_leaf:
        x.requires_grad_(True)
    else:
        x.retain_grad()
    x.grad = None
    y = f(x)
    if y.requires_grad:
        y.backward(v)
    g = torch.zeros(x.shape, dtype=x.dtype) if x.grad is None else x.grad.clone()
    x.grad = None
    if x.is_leaf:
        x.requires_grad_(needed)
    return g


def jacobian_row(f, x, i):
    y = f(x)
    v = torch.zeros(y.shape, dtype=y.dtype)
    v.view(-1)[i] = 1
    return vjp(f, x, v)


def jacobian_col(f, x, j):
    n = f(x).numel()
    return torch.stack([jacobian_row(f, x, i).flatten()[j] for i in range(n)]).reshape(f(x).shape)
