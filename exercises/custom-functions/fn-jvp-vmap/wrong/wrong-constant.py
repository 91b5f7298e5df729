"""The half is missing in the value, while the derivatives are those of the half."""

import torch


class SqDist(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, y):
        return ((x - y) ** 2).sum()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        difference = x - y
        return g * difference, -g * difference

    @staticmethod
    def jvp(ctx, x_t, y_t):
        x, y = ctx.saved_tensors
        return ((x - y) * (x_t - y_t)).sum()
