"""The sigmoid saves its output and the factor one minus the output."""

import torch


class ExpFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output * y


class SigmoidFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.sigmoid(x)
        ctx.save_for_backward(y, 1 - y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, rest = ctx.saved_tensors
        return grad_output * y * rest
