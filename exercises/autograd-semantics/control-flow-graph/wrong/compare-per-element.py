"""Each entry stops when its own size exceeds the limit."""

import torch


def piecewise(x):
    if x > 0:
        return x * torch.sqrt(x)
    return x**2


def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and (h.abs() <= limit).any():
        h = torch.where(h.abs() <= limit, 1.5 * h + torch.sin(h), h)
        steps += 1
    return h, steps
