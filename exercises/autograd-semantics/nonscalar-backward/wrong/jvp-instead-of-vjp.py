"""Forward mode is used for the vector-Jacobian product: the vector is on the other side of the Jacobian."""

import torch
from torch.func import jvp


def vjp(f, x, v):
    x = x.detach()
    _, product = jvp(f, (x,), (v.reshape(x.shape),))
    return product.detach().reshape(x.shape)


def jacobian_row(f, x, i):
    x = x.detach()
    full = torch.autograd.functional.jacobian(f, x)
    return full.reshape(-1, *x.shape)[i].detach()


def jacobian_col(f, x, j):
    x = x.detach()
    unit = torch.zeros(x.numel(), dtype=x.dtype)
    unit[j] = 1.0
    return jvp(f, (x,), (unit.reshape(x.shape),))[1].detach()
