"""The input is clamped to 0, where the logarithm is -inf, before the result is selected."""

import torch


def safe_log(x):
    return torch.where(x > 0, x.clamp(min=0).log(), 0.0)


def safe_sqrt(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0.0)


def safe_norm(x):
    return torch.linalg.vector_norm(x)
