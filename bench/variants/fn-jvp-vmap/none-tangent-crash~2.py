"""With zeros switched off, None is handled for y only."""

import torch


class SqDist(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, y):
        difference = x - y
        return 0.5 * (difference * difference).sum()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
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
        moved = x_t if y_t is None else x_t - y_t
        return ((x - y) * moved).sum()
