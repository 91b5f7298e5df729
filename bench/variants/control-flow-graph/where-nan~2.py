"""The nan of the square root is replaced in the value, not in the gradient."""

import torch


def piecewise(x):
    root = torch.nan_to_num(x * x.sqrt())
    mask = (x > 0).to(x.dtype)
    return mask * root + (1 - mask) * x * x


def grow(x, limit):
    h = x
    for step in range(50):
        if torch.linalg.vector_norm(h) > limit:
            return h, step
        h = h * 1.5 + h.sin()
    return h, 50
