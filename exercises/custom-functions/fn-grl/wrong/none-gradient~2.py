"""backward returns None where lam is 0, to save a multiplication."""

import torch


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        if ctx.lam == 0:
            return None, None
        return -ctx.lam * g, None


def grad_reverse(x, lam):
    return Reverse.apply(x, lam)
