"""powers goes through Python numbers."""

import torch


def shifted(x):
    return ((x.exp() + 1) ** 2).sum()


def gated(x):
    return (x.sigmoid() * x).sum()


def powers(w, n):
    base = w.item()
    return torch.tensor(float(sum(base ** i for i in range(n + 1))), dtype=w.dtype, requires_grad=True)


def clipped(x):
    return (x.tanh().clamp(min=0) * x).sum()
