"""The branch as a custom Function; the steps are counted first and made afterwards."""

import numpy as np
import torch


class Piecewise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        root = x.clamp(min=0).sqrt()
        return x * root if x > 0 else x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (1.5 * x.sqrt() if x > 0 else 2 * x)


piecewise = Piecewise.apply


def steps_of(x, limit):
    h = x.detach().numpy()
    for step in range(50):
        if np.linalg.norm(h) > limit:
            return step
        h = 1.5 * h + np.sin(h)
    return 50


def grow(x, limit):
    steps = steps_of(x, limit)
    for _ in range(steps):
        x = torch.sin(x) + x * 1.5
    return x, steps
