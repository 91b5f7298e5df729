"""If no element is positive, the result has no graph."""

import torch


def safe_log(x):
    ok = x > 0
    if not ok.any():
        return torch.zeros(x.shape, dtype=x.dtype)
    return torch.where(ok, torch.where(ok, x, 1.0).log(), 0.0)


def safe_sqrt(x):
    ok = x > 0
    inner = torch.where(ok, x, torch.ones_like(x))
    return torch.where(ok, torch.sqrt(inner), torch.zeros_like(x))


def safe_norm(x):
    return safe_sqrt((x ** 2).sum())
