"""The newer style; forward returns a copy, and lam is a tensor of the right dtype."""

import torch


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(x, factor):
        return x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[1])

    @staticmethod
    def backward(ctx, g):
        (factor,) = ctx.saved_tensors
        return torch.mul(g, factor), None


def grad_reverse(x, lam):
    return Reverse.apply(x, x.new_tensor(-lam))
