"""where differentiates the square root of numbers up to zero."""

import torch


def piecewise(x):
    return torch.where(x > 0, x * torch.sqrt(x), x**2)


def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and h.norm() <= limit:
        h = 1.5 * h + torch.sin(h)
        steps += 1
    return h, steps
