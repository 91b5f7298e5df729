"""Nothing ends the loop while the norm stays within the limit."""

import torch


def piecewise(x):
    if x > 0:
        return x * torch.sqrt(x)
    return x**2


def grow(x, limit):
    h, steps = x, 0
    while h.norm() <= limit:
        h = 1.5 * h + h.sin()
        steps += 1
    return h, steps
