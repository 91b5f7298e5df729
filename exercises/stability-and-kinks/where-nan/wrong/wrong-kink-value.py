"""0 counts as positive."""

import torch


def safe_log(x):
    ok = x >= 0
    inner = torch.where(ok, x, torch.ones_like(x))
    return torch.where(ok, torch.log(inner), torch.zeros_like(x))


def safe_sqrt(x):
    ok = x >= 0
    inner = torch.where(ok, x, torch.ones_like(x))
    return torch.where(ok, torch.sqrt(inner), torch.zeros_like(x))


def safe_norm(x):
    return safe_sqrt((x ** 2).sum())
