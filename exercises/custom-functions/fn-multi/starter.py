import torch


class Multi(torch.autograd.Function):
    """p = k * x * w, q = sin(x), above = 1 where x > w and 0 elsewhere."""

    @staticmethod
    def forward(ctx, x, w, k):
        raise NotImplementedError("your part")

    @staticmethod
    def backward(ctx, gp, gq, g_above):
        raise NotImplementedError("your part")
