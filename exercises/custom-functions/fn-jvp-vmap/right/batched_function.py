"""The rule calls a second Function, which knows how to handle batches in both directions."""

import torch


class Rows(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, y):
        return 0.5 * (x - y).pow(2).sum(-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        d = g.unsqueeze(-1) * (x - y)
        return d, -d

    @staticmethod
    def jvp(ctx, x_t, y_t):
        x, y = ctx.saved_tensors
        return ((x - y) * (x_t - y_t)).sum(-1)


class SqDist(torch.autograd.Function):
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
        difference = x - y
        return g * difference, -g * difference

    @staticmethod
    def jvp(ctx, x_t, y_t):
        x, y = ctx.saved_tensors
        return ((x - y) * (x_t - y_t)).sum()

    @staticmethod
    def vmap(info, in_dims, x, y):
        bx, by = in_dims
        rows = [t.expand(info.batch_size, -1) if b is None else t.movedim(b, 0) for t, b in ((x, bx), (y, by))]
        return Rows.apply(*rows), 0
