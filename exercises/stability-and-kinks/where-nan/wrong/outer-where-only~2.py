"""masked_fill of the result of the root. The logarithm is right."""

import torch


def safe_log(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).log()


def safe_sqrt(x):
    return x.sqrt().masked_fill(x <= 0, 0.0)


def safe_norm(x):
    return torch.linalg.vector_norm(x)
