"""The sum of the sizes of the entries."""

import torch


def piecewise(x):
    return x * x.sqrt() if x.item() > 0 else x.square()


def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and h.abs().sum().item() <= limit:
        h = 1.5 * h + torch.sin(h)
        steps += 1
    return h, steps
