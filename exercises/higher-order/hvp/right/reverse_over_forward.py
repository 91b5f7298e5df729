"""Reverse over forward: the gradient of the directional derivative of f along v."""

import torch


def hvp(f, x, v):
    direction = v.detach()

    def slope(point):
        return torch.func.jvp(f, (point,), (direction,))[1]

    return torch.func.grad(slope)(x.detach())
