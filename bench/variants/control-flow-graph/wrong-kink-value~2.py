"""The square root is applied to zero as well: only negative numbers are squared."""

import torch


def piecewise(x):
    if x < 0:
        return x * x
    return x * x.sqrt()


def grow(x, limit):
    h = x
    for step in range(50):
        if torch.linalg.vector_norm(h) > limit:
            return h, step
        h = h * 1.5 + h.sin()
    return h, 50
