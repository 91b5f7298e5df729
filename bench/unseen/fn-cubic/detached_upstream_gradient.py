# Held out. Mistake: backward detaches grad_output, so a second derivative loses its dependence on the upstream gradient, for example in Cubic(Cubic(x)).
# True: none-gradient
import torch


class Cubic(torch.autograd.Function):
    """y = x ** 3, elementwise."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        upstream = grad_output.detach()
        return upstream * 3 * x * x
