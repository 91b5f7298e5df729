"""The operands of every sum and product the other way round, the constant as a tensor."""

import torch


def build_one(a, b):
    ba = b * a
    return torch.tensor(3.0, dtype=torch.float64) * (ba * (b + ba))


def build_two(a):
    e = torch.exp(a)
    return torch.sum(torch.mul(e, e), dim=0)
