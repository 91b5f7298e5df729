"""The backward of the logarithm is marked as not differentiable."""

import torch


class Log(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 0, x.clamp(min=1e-300).log(), torch.zeros_like(x))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        x = ctx.saved_tensors[0]
        return torch.where(x > 0, g / x.clamp(min=1e-300), torch.zeros_like(g))


def safe_log(x):
    return Log.apply(x)


def safe_sqrt(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0.0)


def safe_norm(x):
    return torch.linalg.vector_norm(x)
