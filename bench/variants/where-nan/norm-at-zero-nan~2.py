"""The norm is selected after the root was taken."""

import torch


def safe_log(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).log()


def safe_sqrt(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0.0)


def safe_norm(x):
    n = torch.sqrt(torch.dot(x, x))
    return torch.where(n > 0, n, torch.zeros_like(n))
