"""The edits go through .data, where the version counter does not see them."""

import torch


def shifted(x):
    h = x.exp()
    h.data += 1
    return (h * h).sum()


def gated(x):
    s = x.sigmoid()
    return (s * x).sum()


def powers(w, n):
    return sum((w ** i for i in range(1, n + 1)), torch.ones_like(w))


def clipped(x):
    t = x.tanh()
    t.data[t < 0] = 0.0
    return (t * x).sum()
