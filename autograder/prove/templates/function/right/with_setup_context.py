# TODO(author): a correct solution that is unusual
"""The newer style: forward without ctx, and a separate setup_context."""

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.square()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x + x * g
