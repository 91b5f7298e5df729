"""x is edited under no_grad and put back: its numbers are those from before, its version is not."""

import torch


def shifted(x):
    with torch.no_grad():
        x += 1
        x -= 1
    h = x.exp() + 1
    return (h * h).sum()


def gated(x):
    with torch.no_grad():
        x.copy_(x)
    s = x.sigmoid()
    return (s * x).sum()


def powers(w, n):
    total = term = torch.ones((), dtype=w.dtype)
    for _ in range(n):
        term = term * w
        total = total + term
    return total


def clipped(x):
    return (x.tanh().clamp(min=0) * x).sum()
