"""lam becomes a tensor in single precision, so that it can be saved."""

import torch


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.save_for_backward(torch.tensor(lam))
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        (lam,) = ctx.saved_tensors
        return -lam * g, None


def grad_reverse(x, lam):
    return Reverse.apply(x, lam)
