"""All entries have to be within the limit."""

import torch


def piecewise(x):
    if x > 0:
        return x * torch.sqrt(x)
    return x**2


def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and all(abs(v) <= limit for v in h.tolist()):
        h = 1.5 * h + torch.sin(h)
        steps += 1
    return h, steps
