"""Three outputs of three arguments: a gradient is computed only where one is needed and one arrives."""

from typing import Any

import torch


class Multi(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        ctx.set_materialize_grads(False)  # the gradient of an unused output arrives as None
        ctx.save_for_backward(x, w)
        ctx.k = k
        above = (x > w).to(x.dtype)
        ctx.mark_non_differentiable(above)
        return k * x * w, torch.sin(x), above

    @staticmethod
    def backward(
        ctx: Any, gp: torch.Tensor | None, gq: torch.Tensor | None, _: None
    ) -> tuple[torch.Tensor | None, torch.Tensor | None, None]:
        x, w = ctx.saved_tensors
        dx = dw = None
        if ctx.needs_input_grad[0]:
            if gp is not None:
                dx = gp * ctx.k * w
            if gq is not None:
                from_q = gq * torch.cos(x)
                dx = from_q if dx is None else dx + from_q
        if ctx.needs_input_grad[1] and gp is not None:
            dw = gp * ctx.k * x
        return dx, dw, None
