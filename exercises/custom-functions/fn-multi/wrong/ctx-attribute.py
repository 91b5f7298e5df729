"""x and w are kept as attributes of ctx, where no version check notices a later edit."""

import torch


class Multi(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, k):
        ctx.set_materialize_grads(False)
        ctx.x, ctx.w, ctx.k = x, w, k
        above = (x > w).to(x.dtype)
        ctx.mark_non_differentiable(above)
        return k * x * w, torch.sin(x), above

    @staticmethod
    def backward(ctx, gp, gq, _):
        dx = dw = None
        if ctx.needs_input_grad[0]:
            if gp is not None:
                dx = gp * ctx.k * ctx.w
            if gq is not None:
                from_q = gq * torch.cos(ctx.x)
                dx = from_q if dx is None else dx + from_q
        if ctx.needs_input_grad[1] and gp is not None:
            dw = gp * ctx.k * ctx.x
        return dx, dw, None
