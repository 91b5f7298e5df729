"""Negative elements are replaced by 0 before the root, whose derivative is infinite there."""

import torch


def safe_log(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).log()


def safe_sqrt(x):
    return torch.sqrt(torch.where(x < 0, torch.zeros_like(x), x))


def safe_norm(x):
    return torch.linalg.vector_norm(x)
