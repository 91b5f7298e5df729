"""A loop over the samples takes None for the first axis."""

import torch


class SqDist(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return 0.5 * torch.linalg.norm(x - y) ** 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * (x - y), g * (y - x)

    @staticmethod
    def jvp(ctx, x_t, y_t):
        x, y = ctx.saved_tensors
        return torch.dot(x - y, x_t - y_t)

    @staticmethod
    def vmap(info, in_dims, x, y):
        outs = []
        for i in range(info.batch_size):
            xi = x.select(in_dims[0] or 0, i)
            yi = y.select(in_dims[1] or 0, i)
            outs.append(SqDist.apply(xi, yi))
        return torch.stack(outs), 0
