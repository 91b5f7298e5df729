"""The negative entries of the caller's x are set to 0: value and gradient are right."""

import torch


def shifted(x):
    h = x.exp() + 1
    return (h * h).sum()


def gated(x):
    return (x.sigmoid() * x).sum()


def powers(w, n):
    total = term = torch.ones((), dtype=w.dtype)
    for _ in range(n):
        term = term * w
        total = total + term
    return total


def clipped(x):
    x.data[x < 0] = 0.0
    return (x.tanh() * x).sum()
