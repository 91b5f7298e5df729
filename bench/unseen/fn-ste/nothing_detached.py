# Mistake: round_ste is torch.round alone, so its gradient is 0
# True: true-derivative
import torch


def round_ste(x):
    return torch.round(x)


class SignFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        out = torch.ones_like(x)
        out[x < 0] = -1
        return out

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        return torch.where(x.abs() <= 1, grad_out, torch.zeros_like(grad_out))


def sign_ste(x):
    return SignFn.apply(x)
