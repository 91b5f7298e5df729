"""The logarithm is multiplied by a mask."""

import torch


def safe_log(x):
    return torch.log(x) * (x > 0)


def safe_sqrt(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0.0)


def safe_norm(x):
    return torch.linalg.vector_norm(x)
