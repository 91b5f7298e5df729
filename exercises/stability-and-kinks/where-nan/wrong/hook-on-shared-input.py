"""The hook sits on the input itself, where it also changes the gradient of its other uses."""

import torch


def safe_log(x):
    if x.requires_grad:
        x.register_hook(lambda g: torch.where(x > 0, g, torch.zeros_like(g)))
    ok = x > 0
    return torch.where(ok, torch.where(ok, x, 1.0).log(), 0.0)


def safe_sqrt(x):
    ok = x > 0
    inner = torch.where(ok, x, torch.ones_like(x))
    return torch.where(ok, torch.sqrt(inner), torch.zeros_like(x))


def safe_norm(x):
    return safe_sqrt((x ** 2).sum())
