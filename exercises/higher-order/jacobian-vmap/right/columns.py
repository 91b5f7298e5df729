"""Forward mode: one column for every entry of the input, all of them under vmap."""

import torch


def jacobian(f, x):
    point = x.detach()
    units = torch.eye(point.numel(), dtype=point.dtype).reshape(-1, *point.shape)
    columns = torch.func.vmap(lambda v: torch.func.jvp(f, (point,), (v,))[1])(units)
    columns = columns.movedim(0, -1)
    return columns.reshape(columns.shape[:-1] + point.shape).detach()


def batch_jacobian(f, xb):
    return torch.func.vmap(lambda sample: jacobian(f, sample))(xb.detach())
