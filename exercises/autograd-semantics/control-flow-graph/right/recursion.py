"""A recursive function in place of the loop; a safe operand in the branch that is not used."""

import torch


def piecewise(x):
    safe = torch.where(x > 0, x, torch.ones_like(x))
    return torch.where(x > 0, x * safe.sqrt(), x * x)


def grow(x, limit, done=0):
    if done == 50 or not torch.sqrt((x.detach() ** 2).sum()) <= limit:
        return x, done
    return grow(1.5 * x + x.sin(), limit, done + 1)
