"""The norm is the root of the sum of squares and a constant."""

import torch


def safe_log(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).log()


def safe_sqrt(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0.0)


def safe_norm(x):
    return torch.sqrt(x.pow(2).sum() + 1e-20)
