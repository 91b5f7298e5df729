# Mistake: the upstream is summed to one number
# True: upstream-reduced, wrong-upstream
import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        slope = 3 * x * x
        return slope * grad_output.sum()
