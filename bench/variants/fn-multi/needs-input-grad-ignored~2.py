"""needs_input_grad is asked for x and forgotten for w."""

import torch


class Multi(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, k):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, w)
        ctx.k = k
        above = (x > w).to(x.dtype)
        ctx.mark_non_differentiable(above)
        return k * x * w, torch.sin(x), above

    @staticmethod
    def backward(ctx, gp, gq, g_above):
        x, w = ctx.saved_tensors
        dx = None
        if ctx.needs_input_grad[0]:
            parts = []
            if gp is not None:
                parts.append(gp * ctx.k * w)
            if gq is not None:
                parts.append(gq * torch.cos(x))
            dx = sum(parts) if parts else None
        dw = gp * ctx.k * x if gp is not None else None
        return dx, dw, None
