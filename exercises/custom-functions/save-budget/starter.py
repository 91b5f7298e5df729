import torch


class Sigmoid(torch.autograd.Function):
    """1 / (1 + exp(-x)), keeping no more than the bytes of x."""

    @staticmethod
    def forward(ctx, x):
        raise NotImplementedError("your part")

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError("your part")


class Relu(torch.autograd.Function):
    """max(x, 0), keeping no more than one byte per entry."""

    @staticmethod
    def forward(ctx, x):
        raise NotImplementedError("your part")

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError("your part")


class Silu(torch.autograd.Function):
    """x * sigmoid(x), keeping no more than the bytes of x."""

    @staticmethod
    def forward(ctx, x):
        raise NotImplementedError("your part")

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError("your part")
