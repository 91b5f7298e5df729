"""torch.sign gives 0 at 0 where 1 is due."""

import torch


def round_ste(x):
    return torch.round(x).detach() + (x - x.detach())


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sign(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() <= 1)


def sign_ste(x):
    return Sign.apply(x)
