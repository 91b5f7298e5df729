"""torch.func: reverse mode for rows, forward mode for columns."""

import torch
from torch.func import jvp
from torch.func import vjp as pullback


def vjp(f, x, v):
    x = x.detach()
    _, pull = pullback(f, x)
    return pull(v)[0].detach()


def jacobian_row(f, x, i):
    x = x.detach()
    y, pull = pullback(f, x)
    unit = torch.eye(y.numel(), dtype=x.dtype)[i]
    return pull(unit.reshape(y.shape))[0].detach()


def jacobian_col(f, x, j):
    x = x.detach()
    direction = torch.zeros(x.numel(), dtype=x.dtype)
    direction[j] = 1
    _, column = jvp(f, (x,), (direction.reshape(x.shape),))
    return column.detach()
