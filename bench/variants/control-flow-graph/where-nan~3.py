"""The unused branch is masked out with a product of zero afterwards."""

import torch


def piecewise(x):
    positive = x * x.pow(0.5)
    return torch.where(x <= 0, x * x, positive)


def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and h.norm() <= limit:
        h = 1.5 * h + torch.sin(h)
        steps += 1
    return h, steps
