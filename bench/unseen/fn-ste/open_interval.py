# Mistake: the gradient is stopped at both ends
# True: wrong-kink-value
import torch


class _Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, g):
        return g


def round_ste(x):
    return _Round.apply(x)


class _Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x))

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        g = g.clone()
        g[x >= 1] = 0
        g[x <= -1] = 0
        return g


def sign_ste(x):
    return _Sign.apply(x)
