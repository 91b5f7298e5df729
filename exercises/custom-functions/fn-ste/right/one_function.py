"""One custom Function for both, with setup_context. forward returns the given value, and backward applies the mask."""

import torch


class Replace(torch.autograd.Function):
    """The value of `y`; the gradient passes to x where `mask` is set."""

    @staticmethod
    def forward(x, y, mask):
        return y.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[2])

    @staticmethod
    def backward(ctx, g):
        (mask,) = ctx.saved_tensors
        return g.masked_fill(~mask, 0), None, None


def round_ste(x):
    with torch.no_grad():
        rounded, everywhere = x.round(), torch.ones_like(x, dtype=torch.bool)
    return Replace.apply(x, rounded, everywhere)


def sign_ste(x):
    with torch.no_grad():
        y = torch.ones_like(x)
        y[x < 0] = -1
        window = (x >= -1) & (x <= 1)
    return Replace.apply(x, y, window)
