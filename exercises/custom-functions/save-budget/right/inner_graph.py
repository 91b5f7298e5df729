"""Silu: the derivative comes from a small graph in backward. Sigmoid: computed again from the input."""

import torch


class Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_output):
        s = torch.sigmoid(ctx.saved_tensors[0])
        return grad_output * s * torch.sigmoid(-ctx.saved_tensors[0])


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mask = (x > 0).to(torch.int8)
        return torch.maximum(x, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.mask


class Silu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.silu(x)

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0]
        with torch.enable_grad():
            t = x.detach().requires_grad_()
            y = torch.nn.functional.silu(t)
        return torch.autograd.grad(y, t, grad_output)[0]
