"""Stops at a norm of at least the limit."""

import torch


def piecewise(x):
    return x * x.sqrt() if x.item() > 0 else x.square()


def grow(x, limit):
    h = x
    for step in range(50):
        if torch.linalg.vector_norm(h) >= limit:
            return h, step
        h = h * 1.5 + h.sin()
    return h, 50
