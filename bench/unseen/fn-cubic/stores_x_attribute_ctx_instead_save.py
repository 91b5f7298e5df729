# Held out. Mistake: Stores x as an attribute of ctx instead of with save_for_backward, so an in-place change of x gives a gradient at the wrong point instead of an error
# True: ctx-attribute
import torch


class Cubic(torch.autograd.Function):

    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x.pow(3)

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.x
        return 3 * x.pow(2) * grad_output
