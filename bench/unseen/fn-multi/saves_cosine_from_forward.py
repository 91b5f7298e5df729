# Held out. Mistake: cos(x) is computed in forward and saved, so it is a constant for autograd and the second derivative -sin(x) of q is missing.
# True: saved-intermediate
import torch


class Multi(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, k):
        ctx.set_materialize_grads(False)
        ctx.k = k
        ctx.save_for_backward(x, w, torch.cos(x))
        above = (x > w).to(x.dtype)
        ctx.mark_non_differentiable(above)
        return k * x * w, torch.sin(x), above

    @staticmethod
    def backward(ctx, gp, gq, g_above):
        x, w, c = ctx.saved_tensors
        need_x, need_w, _ = ctx.needs_input_grad
        dx = dw = None
        if need_x:
            parts = []
            if gp is not None:
                parts.append(gp * ctx.k * w)
            if gq is not None:
                parts.append(gq * c)
            if parts:
                dx = sum(parts[1:], parts[0])
        if need_w and gp is not None:
            dw = gp * ctx.k * x
        return dx, dw, None
