"""The input is kept as an attribute of ctx, where no version check notices a later edit."""

import torch


class ExpFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return torch.exp(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * torch.exp(ctx.x)


class SigmoidFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_output):
        s = torch.sigmoid(ctx.x)
        return grad_output * s * (1 - s)
