# Held out. Mistake: backward returns the local derivative 3x^2 and ignores the upstream gradient
# True: missing-upstream
from torch.autograd import Function


class Cubic(Function):
    @staticmethod
    def forward(x):
        return x ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = 3 * x ** 2
        return grad_input
