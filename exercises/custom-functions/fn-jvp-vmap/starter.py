import torch


class SqDist(torch.autograd.Function):
    """Half the squared distance of two vectors, for reverse mode, forward mode and vmap."""

    @staticmethod
    def forward(x, y):
        raise NotImplementedError("your part")

    @staticmethod
    def setup_context(ctx, inputs, output):
        raise NotImplementedError("your part")

    @staticmethod
    def backward(ctx, grad_output):
        raise NotImplementedError("your part")

    @staticmethod
    def jvp(ctx, x_t, y_t):
        raise NotImplementedError("your part")
