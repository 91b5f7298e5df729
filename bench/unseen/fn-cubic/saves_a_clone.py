# Held out. Mistake: a clone is saved, so an edit of the input goes unnoticed
# True: saved-intermediate, saves-a-copy
import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x.clone())

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x ** 2
