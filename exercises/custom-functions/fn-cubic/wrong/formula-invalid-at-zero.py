import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x * x
        # reuse the output: 3x^2 = 3y/x, saves a multiplication
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * (3 * y / x)
