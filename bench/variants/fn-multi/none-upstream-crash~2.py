"""The default: autograd fills in zeros. Called directly, backward meets a None that it does not expect."""

import torch


class Multi(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, k):
        ctx.save_for_backward(x, w)
        ctx.k = k
        above = (x > w).to(x.dtype)
        ctx.mark_non_differentiable(above)
        return k * x * w, torch.sin(x), above

    @staticmethod
    def backward(ctx, gp, gq, _):
        x, w = ctx.saved_tensors
        dx = dw = None
        if ctx.needs_input_grad[0]:
            dx = gp * ctx.k * w + gq * torch.cos(x)
        if ctx.needs_input_grad[1]:
            dw = gp * ctx.k * x
        return dx, dw, None
