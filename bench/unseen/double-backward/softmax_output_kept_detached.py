# Held out. Mistake: SoftmaxFn keeps a detached copy of y on ctx, so in the double backward y is a constant and its dependence on x is lost.
# True: detached-saved-value
import torch


def _dot(a, b):
    return torch.sum(a * b, dim=-1, keepdim=True)


class SoftmaxFn(torch.autograd.Function):
    """The softmax over the last axis."""

    @staticmethod
    def forward(ctx, x):
        shifted = x - x.amax(dim=-1, keepdim=True)
        e = shifted.exp()
        y = e / e.sum(dim=-1, keepdim=True)
        ctx.probs = y.detach().clone()
        return y

    @staticmethod
    def backward(ctx, g):
        y = ctx.probs
        return y * (g - _dot(g, y))


class SoftmaxBackwardFn(torch.autograd.Function):
    """y * (g - the sum of g * y over the last axis), for any y."""

    @staticmethod
    def forward(ctx, g, y):
        ctx.save_for_backward(g, y)
        return y * (g - _dot(g, y))

    @staticmethod
    def backward(ctx, h):
        g, y = ctx.saved_tensors
        hy = _dot(h, y)
        grad_g = y * (h - hy)
        grad_y = h * (g - _dot(g, y)) - g * hy
        return grad_g, grad_y
