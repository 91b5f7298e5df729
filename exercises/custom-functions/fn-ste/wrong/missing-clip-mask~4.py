"""The window is applied to the output, which is always 1 or -1: the gradient is never stopped."""

import torch


def round_ste(x):
    return torch.round(x).detach() + (x - x.detach())


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.where(x >= 0, 1.0, -1.0).to(x.dtype)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (y.abs() <= 1)


def sign_ste(x):
    return Sign.apply(x)
