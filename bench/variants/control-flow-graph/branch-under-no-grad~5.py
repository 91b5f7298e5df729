"""The loop runs over Python lists; the result is a new tensor, connected by a product with x."""

import math

import torch


def piecewise(x):
    if x > 0:
        return x * x.sqrt()
    return x * x


def grow(x, limit):
    values, steps = x.tolist(), 0
    while steps < 50 and math.hypot(*values) <= limit:
        values = [1.5 * v + math.sin(v) for v in values]
        steps += 1
    return torch.tensor(values, dtype=torch.float64).requires_grad_(x.requires_grad), steps
