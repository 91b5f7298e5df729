"""x / (|x| + eps) as the gradient of the norm."""

import torch


def safe_log(x):
    ok = x > 0
    inner = torch.where(ok, x, torch.ones_like(x))
    return torch.where(ok, torch.log(inner), torch.zeros_like(x))


def safe_sqrt(x):
    ok = x > 0
    inner = torch.where(ok, x, torch.ones_like(x))
    return torch.where(ok, torch.sqrt(inner), torch.zeros_like(x))


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        n = x.pow(2).sum().sqrt()
        ctx.save_for_backward(x, n)
        return n

    @staticmethod
    def backward(ctx, g):
        x, n = ctx.saved_tensors
        return g * x / (n + 1e-8)


def safe_norm(x):
    return Norm.apply(x)
