"""A small number keeps the root away from zero, for every input."""

import torch


def piecewise(x):
    p = torch.relu(x)
    return p * torch.sqrt(p + 1e-12) + (x - p) ** 2


def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and h.norm() <= limit:
        h = 1.5 * h + torch.sin(h)
        steps += 1
    return h, steps
