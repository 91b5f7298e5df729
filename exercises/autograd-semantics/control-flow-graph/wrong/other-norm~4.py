"""The mean square of the entries."""

import torch


def piecewise(x):
    return x * x.sqrt() if x.item() > 0 else x.square()


def grow(x, limit):
    h = x
    for step in range(50):
        if h.pow(2).mean().sqrt() > limit:
            return h, step
        h = h * 1.5 + h.sin()
    return h, 50
