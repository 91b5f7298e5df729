"""lam is stored on the class: the last call before the backward pass decides for all."""

import torch


class Reverse(torch.autograd.Function):
    lam = 1.0

    @staticmethod
    def forward(ctx, x, lam):
        Reverse.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -Reverse.lam * g, None


def grad_reverse(x, lam):
    return Reverse.apply(x, lam)
