"""A table of rules: output, input, local derivative. Contributions are collected and added."""

import torch

RULES = (
    (0, 0, lambda x, w, k: k * w),
    (0, 1, lambda x, w, k: k * x),
    (1, 0, lambda x, w, k: torch.cos(x)),
)


class Multi(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, k):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x, w)
        ctx.k = k
        above = torch.zeros_like(x)
        above[x > w] = 1
        ctx.mark_non_differentiable(above)
        return x * w * k, x.sin(), above

    @staticmethod
    def backward(ctx, *upstreams):
        found = [None, None, None]
        for output, place, slope in RULES:
            g = upstreams[output]
            if g is None or not ctx.needs_input_grad[place]:
                continue
            part = slope(*ctx.saved_tensors, ctx.k) * g
            found[place] = part if found[place] is None else found[place] + part
        return found[0], found[1], found[2]
