"""Halves are rounded away from zero, as taught at school."""

import torch


def round_ste(x):
    r = torch.trunc(x + torch.copysign(torch.full_like(x, 0.5), x))
    r = torch.where(x.abs() < 2 ** 22, r, x)
    return r.detach() + (x - x.detach())


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, 1.0, -1.0).to(x.dtype)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() <= 1)


def sign_ste(x):
    return Sign.apply(x)
