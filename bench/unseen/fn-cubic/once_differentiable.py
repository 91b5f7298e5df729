# Held out. Mistake: backward is decorated with once_differentiable, so any second derivative raises an error.
# True: no-second-order
import torch
from torch.autograd.function import once_differentiable


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.pow(3)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        dx = 3 * x.pow(2)
        return grad_output * dx
