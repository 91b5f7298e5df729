"""The gradient of y has the term of the sum, and not the one of the factor in front."""

import torch


class SoftmaxFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.softmax(x, dim=-1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return SoftmaxBackwardFn.apply(g, y)


class SoftmaxBackwardFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, g, y):
        ctx.save_for_backward(g, y)
        return y * (g - (g * y).sum(-1, keepdim=True))

    @staticmethod
    def backward(ctx, h):
        g, y = ctx.saved_tensors
        hy = torch.sum(h * y, -1, keepdim=True)
        dg = y * h - y * hy
        dy = h * g - g * hy
        return dg, dy
