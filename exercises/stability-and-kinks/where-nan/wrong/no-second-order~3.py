"""The gradient is a constant times x, with the right value and the right first derivative."""

import torch


def safe_log(x):
    ok = x > 0
    inner = torch.where(ok, x, torch.ones_like(x))
    return torch.where(ok, torch.log(inner), torch.zeros_like(x))


def safe_sqrt(x):
    ok = x > 0
    root = torch.where(ok, x, 1.0).sqrt().detach()
    slope = torch.where(ok, 0.5 / root, 0.0)
    return torch.where(ok, root, 0.0) + slope * (x - x.detach())


def safe_norm(x):
    return safe_sqrt((x ** 2).sum())
