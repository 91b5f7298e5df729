"""The branch for negative numbers is computed inside no_grad."""

import torch


def piecewise(x):
    with torch.no_grad():
        y = x**2
    if x > 0:
        y = x * x.sqrt()
    return y


def grow(x, limit):
    h = x
    for step in range(50):
        if torch.linalg.vector_norm(h) > limit:
            return h, step
        h = h * 1.5 + h.sin()
    return h, 50
