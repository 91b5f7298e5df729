"""The slope 3x^2 is computed in forward and saved: neither input nor output, it counts as a constant."""

import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3 * x ** 2)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope
