# Mistake: the slope is computed in forward, so the second derivative misses it
# True: saved-intermediate
import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        slope = 3 * x * x
        ctx.save_for_backward(slope)
        return x * x * x

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope
