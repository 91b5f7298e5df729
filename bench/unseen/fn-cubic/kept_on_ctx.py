# Mistake: x is stored as an attribute of ctx, so an edit in place goes unnoticed
# True: ctx-attribute
import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 3 * ctx.x ** 2
