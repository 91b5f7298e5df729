import torch


class Cubic(torch.autograd.Function):
    """y = x ** 3, elementwise."""

    @staticmethod
    def forward(ctx, x):
        raise NotImplementedError("your part")

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError("your part")
