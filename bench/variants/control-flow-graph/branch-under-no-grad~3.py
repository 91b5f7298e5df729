"""Finds the number of steps under no_grad and returns what it found there; both functions are decorated."""

import torch


@torch.no_grad()
def piecewise(x):
    if x > 0:
        return x * torch.sqrt(x)
    return x**2


@torch.no_grad()
def grow(x, limit):
    h, steps = x, 0
    while steps < 50 and h.norm() <= limit:
        h = 1.5 * h + torch.sin(h)
        steps += 1
    return h, steps
