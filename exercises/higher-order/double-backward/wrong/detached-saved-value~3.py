"""The exponentials and their sum are saved; to autograd they are constants."""

import torch


class SoftmaxFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        e = torch.exp(x - x.amax(-1, keepdim=True))
        total = e.sum(-1, keepdim=True)
        ctx.save_for_backward(e, total)
        return e / total

    @staticmethod
    def backward(ctx, g):
        e, total = ctx.saved_tensors
        return SoftmaxBackwardFn.apply(g, e / total)


class SoftmaxBackwardFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, g, y):
        ctx.save_for_backward(g, y)
        return y * (g - (g * y).sum(-1, keepdim=True))

    @staticmethod
    def backward(ctx, h):
        g, y = ctx.saved_tensors
        gy = (g * y).sum(-1, keepdim=True)
        hy = (h * y).sum(-1, keepdim=True)
        return y * (h - hy), h * (g - gy) - g * hy
