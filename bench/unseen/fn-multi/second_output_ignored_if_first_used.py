# Held out. Mistake: an elif makes dx use gq only if gp is None, so with both outputs in the loss the contribution gq * cos(x) is lost.
import torch


class Multi(torch.autograd.Function):
    """p = k * x * w, q = sin(x), above = 1 where x > w and 0 elsewhere."""

    @staticmethod
    def forward(x, w, k):
        p = x * w * k
        q = x.sin()
        above = torch.where(x > w, torch.ones_like(x), torch.zeros_like(x))
        return p, q, above

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, w, k = inputs
        ctx.k = k
        ctx.save_for_backward(x, w)
        ctx.mark_non_differentiable(output[2])
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, gp, gq, g_above):
        x, w = ctx.saved_tensors
        dx = None
        dw = None
        if ctx.needs_input_grad[0]:
            if gp is not None:
                dx = gp * ctx.k * w
            elif gq is not None:
                dx = gq * x.cos()
        if ctx.needs_input_grad[1] and gp is not None:
            dw = gp * ctx.k * x
        return dx, dw, None
