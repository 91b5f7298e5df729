"""backward goes through numpy, where no operation is recorded."""

import torch


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        slope = 3 * x.detach().numpy() ** 2
        grad = grad_output.detach().numpy() * slope
        return torch.as_tensor(grad, dtype=x.dtype)
