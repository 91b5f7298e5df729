"""Differentiate f(x + h v) with respect to x, then with respect to the scalar h at h = 0."""

import torch


def hvp(f, x, v):
    h = torch.zeros((), dtype=x.dtype, requires_grad=True)
    offset = torch.zeros_like(x.detach()).requires_grad_()
    value = f(x.detach() + offset + h * v.detach()) + 0.0 * h
    (slope,) = torch.autograd.grad(value, h, create_graph=True)
    if not slope.requires_grad:
        return torch.zeros_like(offset)
    (result,) = torch.autograd.grad(slope, offset, allow_unused=True)
    return torch.zeros_like(offset) if result is None else result
