# Mistake: backward runs under no_grad and cannot be differentiated
# True: no-second-order
import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.pow(3)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        with torch.no_grad():
            grad_x = grad_output * 3 * x.pow(2)
        return grad_x
