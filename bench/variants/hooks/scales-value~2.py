"""A Function that multiplies in both directions."""

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, c):
        ctx.c = c
        return t * c

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.c, None


def scaled(t, c):
    return Scale.apply(t, c)


def record(t):
    entries = []

    def hook(grad):
        entries.append(grad.clone().detach())

    return entries, t.register_hook(hook)
