"""Both directions from the same two saved inputs. torch derives the rule for vmap from the three methods."""

from typing import Any

import torch


class SqDist(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        difference = x - y
        return 0.5 * (difference * difference).sum()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, torch.Tensor], output: torch.Tensor) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, y = ctx.saved_tensors
        dx = grad_output * (x - y)
        return dx, -dx

    @staticmethod
    def jvp(ctx: Any, x_t: torch.Tensor, y_t: torch.Tensor) -> torch.Tensor:
        x, y = ctx.saved_tensors
        return ((x - y) * (x_t - y_t)).sum()
