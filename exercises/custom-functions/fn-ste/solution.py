"""Rounding and sign with a surrogate gradient: the value of one function and the derivative of another."""

from typing import Any

import torch


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return torch.round(x)

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> torch.Tensor:
        return grad_output


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        one = torch.ones_like(x)
        return torch.where(x >= 0, one, -one)

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return torch.where(x.abs() <= 1, grad_output, torch.zeros_like(grad_output))


def round_ste(x: torch.Tensor) -> torch.Tensor:
    return Round.apply(x)


def sign_ste(x: torch.Tensor) -> torch.Tensor:
    return Sign.apply(x)
