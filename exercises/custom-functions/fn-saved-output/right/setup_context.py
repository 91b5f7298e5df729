"""The newer style, with one base class for functions whose slope is known in terms of the output."""

import torch


class FromOutput(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)


class ExpFn(FromOutput):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0].mul(g)


class SigmoidFn(FromOutput):
    @staticmethod
    def forward(x):
        return torch.exp(-torch.logaddexp(torch.zeros_like(x), -x))

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return (y - y.square()) * g
