"""Copies that nobody else holds cannot be edited."""

import torch


class Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.sigmoid(x)
        ctx.own = [y.clone()]
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.own
        return grad_output * y * (1 - y)


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        mask = x > 0
        ctx.save_for_backward(mask)
        return torch.relu(x)

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return torch.where(mask, grad_output, torch.zeros_like(grad_output))


class Silu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.own = x.detach().clone().numpy()
        return torch.sigmoid(x) * x

    @staticmethod
    def backward(ctx, grad_output):
        x = torch.from_numpy(ctx.own)
        s = torch.sigmoid(x)
        return grad_output * (s + x * (s - s * s))
