# Held out. Mistake: x is kept as an attribute of ctx instead of with save_for_backward, so an in-place edit goes unnoticed and gives a wrong gradient
# True: ctx-attribute
import torch


class Cubic(torch.autograd.Function):
    """y = x ** 3, element by element."""

    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x * x

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.x
        return grad_output * (3 * x * x)
