"""The output is kept on the class, where the next call overwrites it."""

import torch


class ExpFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.exp(x)
        ExpFn.y = y
        return y

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ExpFn.y


class SigmoidFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.sigmoid(x)
        SigmoidFn.y = y
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y = SigmoidFn.y
        return grad_output * y * (1 - y)
