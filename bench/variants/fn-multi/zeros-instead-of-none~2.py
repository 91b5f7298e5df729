"""An upstream gradient of None is replaced by zeros before the formulas are applied."""

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
    def backward(ctx, gp, gq, _):
        x, w = ctx.saved_tensors
        gp = torch.zeros_like(x) if gp is None else gp
        gq = torch.zeros_like(x) if gq is None else gq
        dx = gp * ctx.k * w + gq * torch.cos(x) if ctx.needs_input_grad[0] else None
        dw = gp * ctx.k * x if ctx.needs_input_grad[1] else None
        return dx, dw, None
