"""The result is the last vector within the limit."""

import torch


def piecewise(x):
    return x * x.sqrt() if x.item() > 0 else x.square()


def grow(x, limit):
    h = x
    for steps in range(50):
        following = 1.5 * h + h.sin()
        if following.norm() > limit:
            return h, steps
        h = following
    return h, 50
