"""The root is read out as a number and multiplied back in."""

import torch


def piecewise(x):
    value = float(x)
    if value > 0:
        return x * value**0.5
    return x * value


def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and h.norm() <= limit:
        h = 1.5 * h + torch.sin(h)
        steps += 1
    return h, steps
