"""A small constant inside the logarithm and the root."""

import torch

EPS = 1e-12


def safe_log(x):
    ok = x > 0
    return torch.where(ok, torch.log(torch.where(ok, x, 0.0) + EPS), 0.0)


def safe_sqrt(x):
    ok = x > 0
    return torch.where(ok, torch.sqrt(torch.where(ok, x, 0.0) + EPS), 0.0)


def safe_norm(x):
    return safe_sqrt((x ** 2).sum())
