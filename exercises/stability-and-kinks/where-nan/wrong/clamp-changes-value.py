"""The input is clamped to 1e-12 before the logarithm and the root."""

import torch


def safe_log(x):
    return torch.where(x > 0, x.clamp(min=1e-12).log(), 0.0)


def safe_sqrt(x):
    return torch.where(x > 0, x.clamp(min=1e-12).sqrt(), 0.0)


def safe_norm(x):
    return safe_sqrt((x ** 2).sum())
