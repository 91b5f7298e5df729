"""A global holds lam, because forward seems to have no place for a number."""

import torch

STRENGTH = 0.0


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg() * STRENGTH


def grad_reverse(x, lam):
    global STRENGTH
    STRENGTH = lam
    return Reverse.apply(x)
