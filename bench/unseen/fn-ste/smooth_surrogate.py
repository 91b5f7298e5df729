# Held out. Mistake: sign: the slope of tanh for that of the clipped identity
# True: wrong-local-derivative
import torch


class _Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return grad


class _Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = torch.ones_like(x)
        y[x < 0] = -1
        return y

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * (1 - torch.tanh(x) ** 2)


round_ste = _Round.apply
sign_ste = _Sign.apply
