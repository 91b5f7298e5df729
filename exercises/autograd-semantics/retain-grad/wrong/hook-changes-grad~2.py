"""The hook returns what it stores, and it stores a clipped gradient."""

import torch


def intermediate_grads(fs, x):
    found = []

    def look(g):
        found.append(g.clamp(-0.5, 0.5))
        return found[-1]

    h = x
    h.register_hook(look)
    for f in fs:
        h = f(h)
        h.register_hook(look)
    torch.autograd.grad(h, x)
    return found[::-1]
