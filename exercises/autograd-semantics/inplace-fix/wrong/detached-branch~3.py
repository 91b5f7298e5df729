"""Only the in-place step is moved into no_grad, as a new tensor: one factor of the square, and of the product, is constant."""

import torch


def shifted(x):
    h = x.exp()
    with torch.no_grad():
        k = h + 1
    return ((h + 1) * k).sum()


def gated(x):
    s = x.sigmoid()
    with torch.no_grad():
        c = x.clone()
    return (s * c).sum()


def powers(w, n):
    total = term = torch.ones((), dtype=w.dtype)
    for _ in range(n):
        term = term * w
        total = total + term
    return total


def clipped(x):
    with torch.no_grad():
        t = x.tanh()
        t[t < 0] = 0.0
    return (t * x).sum()
