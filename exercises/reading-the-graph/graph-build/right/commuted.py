"""The operands of every sum and product are swapped, and the constant is a tensor."""

import torch


def build_one(a, b):
    ba = b * a
    return torch.tensor(3.0, dtype=torch.float64) * (ba * (b + ba))


def build_two(a):
    e = torch.exp(a)
    return torch.sum(torch.mul(e, e), dim=0)
