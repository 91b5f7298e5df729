# Held out. Mistake: the backward of sign_ste writes its zeros into the upstream gradient itself instead of into a copy
# True: mutates-input
import torch


class _Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class _Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = torch.ones_like(x)
        y[x < 0] = -1
        return y

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        grad_input = grad_output
        grad_input[x.abs() > 1] = 0
        return grad_input


def round_ste(x: torch.Tensor) -> torch.Tensor:
    return _Round.apply(x)


def sign_ste(x: torch.Tensor) -> torch.Tensor:
    return _Sign.apply(x)
