# TODO(author): one file for each mistake, named after it
"""The first derivative is correct. The second one treats x as a constant."""

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0].detach() * g
