"""h . u is the covariance of g and h under the weights y. It is symmetric in g and h, so the backward of
SoftmaxBackwardFn calls SoftmaxBackwardFn again."""

import torch


def mean(values, weights):
    return torch.einsum("...i,...i->...", values, weights).unsqueeze(-1)


class SoftmaxBackwardFn(torch.autograd.Function):
    """The gradient of cov(g, h) = mean(g h) - mean(g) mean(h) with respect to h."""

    @staticmethod
    def forward(ctx, g, y):
        ctx.save_for_backward(g, y)
        return y * (g - mean(g, y))

    @staticmethod
    def backward(ctx, h):
        g, y = ctx.saved_tensors
        return SoftmaxBackwardFn.apply(h, y), g * h - g * mean(h, y) - h * mean(g, y)


class SoftmaxFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.exp(x - torch.logsumexp(x, -1, keepdim=True))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        return SoftmaxBackwardFn.apply(g, *ctx.saved_tensors)
