# Held out. Mistake: the gradient with respect to y ignores that each y_k also appears in the sum, so the term -g * sum(h * y) is missing.
# True: missing-product-term
import torch


class SoftmaxFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.softmax(x, dim=-1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return SoftmaxBackwardFn.apply(g, y)


class SoftmaxBackwardFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, g, y):
        ctx.save_for_backward(g, y)
        return y * (g - (g * y).sum(-1, keepdim=True))

    @staticmethod
    def backward(ctx, h):
        g, y = ctx.saved_tensors
        dg = y * h - y * (h * y).sum(-1, keepdim=True)
        dy = h * (g - (g * y).sum(-1, keepdim=True))
        return dg, dy
