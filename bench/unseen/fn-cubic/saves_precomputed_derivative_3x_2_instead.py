# Held out. Mistake: Saves the precomputed derivative 3x^2 instead of x, so the second derivative is lost (and a later in-place change of x goes unnoticed)
# True: saved-intermediate
import torch


class Cubic(torch.autograd.Function):
    """y = x ** 3, elementwise."""

    @staticmethod
    def forward(ctx, x):
        x2 = x * x
        ctx.save_for_backward(3 * x2)
        return x * x2

    @staticmethod
    def backward(ctx, grad_output):
        (dydx,) = ctx.saved_tensors
        return grad_output * dydx
