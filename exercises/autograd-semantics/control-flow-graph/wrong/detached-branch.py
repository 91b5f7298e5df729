"""Each step starts from a detached copy that requires grad."""

import torch


def piecewise(x):
    return x * x.sqrt() if x.item() > 0 else x.square()


def grow(x, limit):
    h = x
    for step in range(50):
        if h.norm() > limit:
            return h, step
        h = 1.5 * h + h.detach().sin()
    return h, 50
