"""math.sqrt and math.sin need plain numbers: the root and the sine are constants."""

import math

import torch


def piecewise(x):
    if x > 0:
        return x * math.sqrt(x.item())
    return x * x


def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and h.norm() <= limit:
        sines = torch.tensor([math.sin(v) for v in h.tolist()], dtype=h.dtype)
        h = 1.5 * h + sines
        steps += 1
    return h, steps
