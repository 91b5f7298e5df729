"""backward skips the work if the upstream gradient is 0."""

import torch


class SqDist(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, y):
        difference = x - y
        return 0.5 * (difference * difference).sum()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        if g == 0:
            return torch.zeros_like(x), torch.zeros_like(y)
        difference = x - y
        return g * difference, -g * difference

    @staticmethod
    def jvp(ctx, x_t, y_t):
        x, y = ctx.saved_tensors
        return ((x - y) * (x_t - y_t)).sum()
