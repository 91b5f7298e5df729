"""The graph is built in the first run and kept on ctx."""

import torch


class Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, fn, *args):
        ctx.fn = fn
        ctx.args = args
        ctx.rng = torch.get_rng_state()
        ctx.leaves = [a.detach().requires_grad_(a.requires_grad) if torch.is_tensor(a) else a for a in args]
        with torch.enable_grad():
            ctx.out = fn(*ctx.leaves)
        return ctx.out.detach().clone()

    @staticmethod
    def backward(ctx, grad_output):
        ctx.out.backward(grad_output)
        grads = [a.grad if torch.is_tensor(a) else None for a in ctx.leaves]
        return (None, *grads)


def checkpoint(fn, *args):
    return Checkpoint.apply(fn, *args)
