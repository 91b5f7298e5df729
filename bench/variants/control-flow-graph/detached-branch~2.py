"""The linear part of each step uses .data."""

import torch


def piecewise(x):
    if x > 0:
        return x * torch.sqrt(x)
    return x**2


def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and h.norm() <= limit:
        h = 1.5 * h.data + torch.sin(h)
        steps += 1
    return h, steps
