# Mistake: backward takes the saved output for the input
# True: output-for-input
import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x ** 3
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, = ctx.saved_tensors
        return 3 * y ** 2 * grad_output
