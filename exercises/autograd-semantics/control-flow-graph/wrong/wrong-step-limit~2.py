"""One step too few."""

import torch


def piecewise(x):
    return x * x.sqrt() if x.item() > 0 else x.square()


def grow(x, limit):
    h, steps = x, 0
    for steps in range(50):
        if h.norm() > limit:
            break
        h = 1.5 * h + h.sin()
    return h, steps
