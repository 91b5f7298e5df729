"""The old style: forward has ctx, which the transforms do not accept."""

import torch


class SqDist(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)
        difference = x - y
        return 0.5 * (difference * difference).sum()

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        difference = x - y
        return g * difference, -g * difference

    @staticmethod
    def jvp(ctx, x_t, y_t):
        x, y = ctx.saved_tensors
        return ((x - y) * (x_t - y_t)).sum()
