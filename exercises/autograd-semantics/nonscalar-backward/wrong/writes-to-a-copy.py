"""The 1 of a one-hot direction is written into flatten(), which is a copy if the tensor is not contiguous, so the
direction stays zero and so does the column.
"""

import torch


def _unit(like, k):
    e = torch.zeros_like(like).detach()
    e.flatten()[k] = 1.0
    return e


def vjp(f, x, v):
    _, pull = torch.func.vjp(f, x.detach())
    return pull(v)[0].detach().clone()


def jacobian_row(f, x, i):
    y, pull = torch.func.vjp(f, x.detach())
    v = torch.zeros(y.numel(), dtype=torch.float64)
    v[i] = 1.0
    return pull(v.reshape(y.shape))[0].detach().clone()


def jacobian_col(f, x, j):
    _, column = torch.func.jvp(f, (x.detach(),), (_unit(x, j),))
    return column.detach().clone()
