"""Each function works out its own slope next to its value, unrecorded, so every in-place edit is harmless. One Function
tells autograd both."""

import torch


class Known(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, value, slope):
        ctx.save_for_backward(slope)
        return value

    @staticmethod
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return g * slope, None, None


def with_slope(work):
    def function(x, *args):
        with torch.no_grad():
            value, slope = work(x.detach(), *args)
        return Known.apply(x, value, slope)

    return function


@with_slope
def shifted(x):
    e = x.exp()
    h = e + 1
    e.mul_(h).mul_(2)
    return h.square_().sum(), e


@with_slope
def gated(x):
    s = x.sigmoid()
    slope = (1 - s).mul_(x).add_(1).mul_(s)
    return s.mul_(x).sum(), slope


@with_slope
def powers(w, n):
    value, slope = torch.ones_like(w), torch.zeros_like(w)
    for _ in range(n):
        slope.mul_(w).add_(value)
        value.mul_(w).add_(1)
    return value, slope


@with_slope
def clipped(x):
    t = x.tanh()
    slope = (1 - t * t).mul_(x).add_(t)
    slope[t < 0] = 0.0
    t[t < 0] = 0.0
    return t.mul_(x).sum(), slope
