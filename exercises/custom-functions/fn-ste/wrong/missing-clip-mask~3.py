"""The upstream is clipped to [-1, 1] instead of being stopped where x is outside."""

import torch


def round_ste(x):
    return torch.round(x).detach() + (x - x.detach())


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.where(x >= 0, 1.0, -1.0).to(x.dtype)

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-1, 1)


def sign_ste(x):
    return Sign.apply(x)
