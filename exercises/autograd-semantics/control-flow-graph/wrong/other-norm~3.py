"""The sum of the entries."""

import torch


def piecewise(x):
    if x > 0:
        return x * torch.sqrt(x)
    return x**2


def grow(x, limit):
    h = x
    for step in range(50):
        if sum(h.tolist()) > limit:
            return h, step
        h = h * 1.5 + h.sin()
    return h, 50
