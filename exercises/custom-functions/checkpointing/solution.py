"""The first run is not recorded; backward runs fn again on detached arguments, with the generator as it was."""

from collections.abc import Callable
from typing import Any

import torch


class Replayed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, fn: Callable[..., torch.Tensor], *args: Any) -> torch.Tensor:
        ctx.fn = fn
        ctx.arguments = args
        ctx.state = torch.get_rng_state()
        return fn(*args)

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[Any, ...]:
        args = [a.detach().requires_grad_(a.requires_grad) if torch.is_tensor(a) else a for a in ctx.arguments]
        before = torch.get_rng_state()
        torch.set_rng_state(ctx.state)
        with torch.enable_grad():
            out = ctx.fn(*args)
        torch.set_rng_state(before)
        torch.autograd.backward(out, upstream)
        return None, *(a.grad if torch.is_tensor(a) else None for a in args)


def checkpoint(fn: Callable[..., torch.Tensor], *args: Any) -> torch.Tensor:
    return Replayed.apply(fn, *args)
