# Held out. Mistake: sign: the mask forgets the lower end
# True: missing-clip-mask, wrong-mask
import torch


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, g):
        return g


class SignSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 1, g, torch.zeros_like(g))


def round_ste(x):
    return RoundSTE.apply(x)


def sign_ste(x):
    return SignSTE.apply(x)
