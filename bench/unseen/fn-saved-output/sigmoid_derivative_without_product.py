# Held out. Mistake: the backward of SigmoidFn uses 1 - y^2, the derivative of tanh, so every sigmoid gradient is wrong.
# True: wrong-local-derivative
import torch
from torch.autograd import Function


class ExpFn(Function):
    """y = exp(x), elementwise."""

    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        y, = ctx.saved_tensors
        return y * grad_output


class SigmoidFn(Function):
    """y = 1 / (1 + exp(-x)), elementwise."""

    @staticmethod
    def forward(x):
        return x.sigmoid()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        y, = ctx.saved_tensors
        return (1 - y * y) * grad_output
