"""Functions whose backward passes are differentiable themselves."""

import torch


class Inverse(torch.autograd.Function):
    """1 / x where x is positive, else 0, any number of times differentiable."""

    @staticmethod
    def forward(ctx, x):
        y = torch.where(x > 0, 1 / x.clamp(min=1e-320), 0.0)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return -g * y * y


class Log(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 0, x.clamp(min=1e-320).log(), 0.0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * Inverse.apply(x)


def safe_log(x):
    return Log.apply(x)


class Sqrt(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.clamp(min=0).sqrt()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * Inverse.apply(y) / 2


def safe_sqrt(x):
    return Sqrt.apply(x)


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        size = torch.hypot(x, torch.zeros_like(x)).square().sum().sqrt()
        ctx.save_for_backward(x, size)
        return size

    @staticmethod
    def backward(ctx, g):
        x, size = ctx.saved_tensors
        return g * x / size if size > 0 else torch.zeros_like(x)


def safe_norm(x):
    return Norm.apply(x)
