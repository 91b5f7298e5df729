"""Clones of what nobody edits: of the other factor, and of the sum at the end."""

import torch


def shifted(x):
    return (x.exp() + 1).square().sum()


def gated(x):
    s = x.sigmoid()
    s.mul_(x.clone())
    return s.clone().sum()


def powers(w, n):
    terms = torch.ones(n + 1, dtype=w.dtype)
    for i in range(1, n + 1):
        terms[i] = terms[i - 1] * w.clone()
    return terms.clone().sum()


def clipped(x):
    return (torch.clamp(x.tanh(), min=0) * x).sum()
