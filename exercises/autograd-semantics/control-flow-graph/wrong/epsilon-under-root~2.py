"""where with a root that is shifted for both branches."""

import torch


def piecewise(x):
    root = (x.clamp(min=0) + 1e-8).sqrt()
    return torch.where(x > 0, x * root, x * x)


def grow(x, limit):
    h = x
    for step in range(50):
        if torch.linalg.vector_norm(h) > limit:
            return h, step
        h = h * 1.5 + h.sin()
    return h, 50
