# Held out. Mistake: Uses torch.sign, which is 0 at x = 0
# True: wrong-kink-value
import torch


class _Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class _Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * (x.abs() <= 1).to(g.dtype)


def round_ste(x):
    return _Round.apply(x)


def sign_ste(x):
    return _Sign.apply(x)
