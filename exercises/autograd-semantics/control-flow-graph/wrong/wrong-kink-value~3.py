"""At zero a constant is returned, which has no gradient."""

import torch


def piecewise(x):
    if x > 0:
        return x * x.sqrt()
    if x < 0:
        return x * x
    return torch.zeros_like(x)


def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and h.norm() <= limit:
        h = 1.5 * h + torch.sin(h)
        steps += 1
    return h, steps
