"""SoftmaxFn saves the input, recomputes, and uses plain operations; the other class is differentiable once."""

import torch
from torch.autograd.function import once_differentiable


class SoftmaxFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.exp(x - torch.logsumexp(x, -1, keepdim=True))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        y = torch.exp(x - torch.logsumexp(x, -1, keepdim=True))
        return g * y - y * torch.linalg.vecdot(g, y)[..., None]


class SoftmaxBackwardFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, g, y):
        ctx.save_for_backward(g, y)
        return y * (g - (g * y).sum(-1, keepdim=True))

    @staticmethod
    @once_differentiable
    def backward(ctx, h):
        g, y = ctx.saved_tensors
        gy = (g * y).sum(-1, keepdim=True)
        hy = (h * y).sum(-1, keepdim=True)
        return y * (h - hy), h * (g - gy) - g * hy
