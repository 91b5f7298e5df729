"""A factory makes both classes from a value and the slope as a function of the output."""

import torch


def from_output(name, value, slope):
    def forward(ctx, x):
        y = value(x)
        ctx.save_for_backward(y)
        return y

    def backward(ctx, grad_output):
        return slope(*ctx.saved_tensors).mul(grad_output)

    return type(name, (torch.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def sigmoid(x):
    """The logarithm of the sigmoid is -log(1 + exp(-x))."""
    return torch.logaddexp(x.new_zeros(()), -x).neg().exp()


ExpFn = from_output("ExpFn", torch.exp, lambda y: y)
SigmoidFn = from_output("SigmoidFn", sigmoid, lambda y: torch.addcmul(y, y, y, value=-1))
