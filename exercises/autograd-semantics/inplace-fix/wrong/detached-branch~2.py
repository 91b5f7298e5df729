"""The previous term is detached in the loop: only the last factor of every power is differentiated."""

import torch


def shifted(x):
    h = x.exp() + 1
    return (h * h).sum()


def gated(x):
    return (x.sigmoid() * x).sum()


def powers(w, n):
    terms = torch.ones(n + 1, dtype=w.dtype)
    for i in range(1, n + 1):
        terms[i] = terms[i - 1].detach().clone() * w
    return terms.sum()


def clipped(x):
    return (x.tanh().clamp(min=0) * x).sum()
