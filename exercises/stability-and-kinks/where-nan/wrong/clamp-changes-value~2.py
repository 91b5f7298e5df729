"""Only the sum of squares is clamped; the norm of a very short vector is wrong."""

import torch


def safe_log(x):
    ok = x > 0
    inner = torch.where(ok, x, torch.ones_like(x))
    return torch.where(ok, torch.log(inner), torch.zeros_like(x))


def safe_sqrt(x):
    ok = x > 0
    inner = torch.where(ok, x, torch.ones_like(x))
    return torch.where(ok, torch.sqrt(inner), torch.zeros_like(x))


def safe_norm(x):
    return safe_sqrt((x * x).sum().clamp(min=1e-24) * (x != 0).any())
