"""The value is repaired with a mask of its finite elements."""

import torch


def safe_log(x):
    y = x.log()
    return torch.where(torch.isfinite(y), y, torch.zeros_like(y))


def safe_sqrt(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0.0)


def safe_norm(x):
    return torch.linalg.vector_norm(x)
