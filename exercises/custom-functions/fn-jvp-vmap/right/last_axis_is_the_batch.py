"""A hand-written rule that puts the samples last, and a jvp that handles missing tangents itself."""

import torch


class SqDist(torch.autograd.Function):
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
        total = None
        for t in (x_t, None if y_t is None else -y_t):
            if t is not None:
                part = torch.dot(x - y, t)
                total = part if total is None else total + part
        return total

    @staticmethod
    def vmap(info, in_dims, x, y):
        bx, by = in_dims
        x = x[:, None] if bx is None else x.movedim(bx, -1)
        y = y[:, None] if by is None else y.movedim(by, -1)
        return (x - y).square().sum(0).mul(0.5), 0
