"""Functions whose backward passes detach the input: the first derivative is a constant for autograd."""

import torch


class Log(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 0, x.clamp(min=1e-300).log(), torch.zeros_like(x))

    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0].detach()
        return torch.where(x > 0, g / x.clamp(min=1e-300), torch.zeros_like(g))


class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 0, x.clamp(min=0).sqrt(), torch.zeros_like(x))

    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0].detach()
        return torch.where(x > 0, g / (2 * x.clamp(min=1e-300).sqrt()), torch.zeros_like(g))


def safe_log(x):
    return Log.apply(x)


def safe_sqrt(x):
    return Root.apply(x)


def safe_norm(x):
    return safe_sqrt((x ** 2).sum())
