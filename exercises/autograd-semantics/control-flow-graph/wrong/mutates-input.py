"""Each step is made in place, on the tensor of the caller."""

import torch


def piecewise(x):
    if x > 0:
        return x * torch.sqrt(x)
    return x**2


def grow(x, limit):
    h, steps = x.data, 0
    while steps < 50 and h.norm() <= limit:
        h.copy_(1.5 * h + h.sin())
        steps += 1
    return h, steps
