"""Horner's rule for the powers, where and silu for the others."""

import torch
import torch.nn.functional as F


def shifted(x):
    e = torch.exp(x)
    return (e * e + 2 * e + 1).sum()


def gated(x):
    return F.silu(x).sum()


def powers(w, n):
    result = w * 0 + 1
    for _ in range(n):
        result = result * w + 1
    return result


def clipped(x):
    t = torch.tanh(x)
    return torch.where(t > 0, t * x, torch.zeros_like(x)).sum()
