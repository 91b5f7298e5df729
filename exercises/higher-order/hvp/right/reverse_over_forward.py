"""The gradient of the slope of f along v, with the slope from forward mode."""

import torch


def hvp(f, x, v):
    direction = v.detach()

    def slope(point):
        return torch.func.jvp(f, (point,), (direction,))[1]

    return torch.func.grad(slope)(x.detach())
