"""backward recomputes the used outputs with recording on and asks autograd for the gradients."""

import torch


class Multi(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, k):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, w)
        ctx.k = k
        above = torch.heaviside(x - w, torch.zeros_like(x))
        ctx.mark_non_differentiable(above)
        return k * x * w, torch.sin(x), above

    @staticmethod
    def backward(ctx, gp, gq, _):
        recorded = torch.is_grad_enabled()
        with torch.enable_grad():
            x, w = (t if t.requires_grad else t.detach() for t in ctx.saved_tensors)
            x, w = x * 1, w * 1
            wanted = [t for t, need in zip((x, w), ctx.needs_input_grad) if need]
            used = [(y, g) for y, g in ((ctx.k * x * w, gp), (x.sin(), gq)) if g is not None and y.requires_grad]
            if not wanted or not used:
                return None, None, None
            ys, gs = zip(*used)
            grads = torch.autograd.grad(ys, wanted, gs, create_graph=recorded, allow_unused=True)
        arriving = iter(grads)
        dx, dw = (next(arriving) if need else None for need in ctx.needs_input_grad[:2])
        return dx, dw, None
