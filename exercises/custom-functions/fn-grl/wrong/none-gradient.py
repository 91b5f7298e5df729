"""Without a reversal to compute, the tensor is detached: lam = 0 gives None instead of zeros."""

import torch


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None


def grad_reverse(x, lam):
    if not lam:
        return x.detach()
    return Reverse.apply(x, lam)
