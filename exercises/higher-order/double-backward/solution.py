"""The backward of the softmax is a Function of the upstream gradient and the output, and sends a gradient to both."""

from typing import Any

import torch


class SoftmaxFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        y = torch.softmax(x, -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        (y,) = ctx.saved_tensors
        return SoftmaxBackwardFn.apply(g, y)


class SoftmaxBackwardFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, g: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(g, y)
        return y * (g - dot(g, y))

    @staticmethod
    def backward(ctx: Any, h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        g, y = ctx.saved_tensors
        dg = y * (h - dot(h, y))
        dy = h * (g - dot(g, y)) - g * dot(h, y)
        return dg, dy


def dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The dot product of each slice along the last axis."""
    return (a * b).sum(-1, keepdim=True)
