"""The loop runs under no_grad, as if only the number of steps mattered."""

import torch


def piecewise(x):
    if x > 0:
        return x * torch.sqrt(x)
    return x**2


def grow(x, limit):
    steps = 0
    h = x
    with torch.no_grad():
        while steps < 50 and h.norm() <= limit:
            h = 1.5 * h + torch.sin(h)
            steps += 1
    return h, steps
