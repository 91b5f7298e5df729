# Mistake: the sign passes the gradient everywhere
# True: missing-clip-mask
import torch


class Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, fn):
        return fn(x)

    @staticmethod
    def backward(ctx, g):
        return g, None


def round_ste(x):
    return Quantize.apply(x, torch.round)


def sign_ste(x):
    return Quantize.apply(x, lambda t: torch.where(t >= 0, 1.0, -1.0).to(t.dtype))
