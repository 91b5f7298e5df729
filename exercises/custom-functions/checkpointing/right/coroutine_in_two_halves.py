"""A coroutine holds everything: it runs fn and pauses, and the backward pass sends it the upstream gradient to go on."""

import torch


def twice(fn, args):
    state = torch.get_rng_state()
    upstream = yield fn(*args)
    current = torch.get_rng_state()
    inside = [a.detach().requires_grad_(a.requires_grad) if torch.is_tensor(a) else a for a in args]
    torch.set_rng_state(state)
    try:
        with torch.enable_grad():
            again = fn(*inside)
    finally:
        torch.set_rng_state(current)
    again.backward(upstream)
    yield [a.grad for a in inside if torch.is_tensor(a) and a.requires_grad]


class Halves(torch.autograd.Function):
    @staticmethod
    def forward(run, *inputs):
        return next(run)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.run = inputs[0]

    @staticmethod
    def backward(ctx, upstream):
        run, ctx.run = ctx.run, None
        return None, *run.send(upstream)


def checkpoint(fn, *args):
    return Halves.apply(twice(fn, args), *(a for a in args if torch.is_tensor(a) and a.requires_grad))
