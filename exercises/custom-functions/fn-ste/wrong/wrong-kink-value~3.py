"""The sign bit decides, so -0.0 becomes -1."""

import torch


def round_ste(x):
    return torch.round(x).detach() + (x - x.detach())


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.copysign(torch.ones_like(x), x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() <= 1)


def sign_ste(x):
    return Sign.apply(x)
