"""The norm of the zero vector is a new constant."""

import torch


def safe_log(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).log()


def safe_sqrt(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0.0)


def safe_norm(x):
    if bool((x == 0).all()):
        return torch.zeros((), dtype=x.dtype)
    return x.pow(2).sum().sqrt()
