"""The input is cloned; exp and tanh have saved their outputs."""

import torch


def shifted(x):
    h = x.clone().exp()
    h += 1
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
    t = x.clone().tanh()
    t[t < 0] = 0.0
    return (t * x).sum()
