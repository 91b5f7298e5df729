"""The result is selected, and the logarithm and the root still see every element."""

import torch


def safe_log(x):
    return torch.where(x > 0, torch.log(x), torch.zeros_like(x))


def safe_sqrt(x):
    return torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))


def safe_norm(x):
    return safe_sqrt((x ** 2).sum())
