"""The error goes away because the edited tensor is detached, and with it the path through the sigmoid and the tanh."""

import torch


def shifted(x):
    h = x.exp() + 1
    return (h * h).sum()


def gated(x):
    s = x.sigmoid().detach()
    return (s * x).sum()


def powers(w, n):
    total = term = torch.ones((), dtype=w.dtype)
    for _ in range(n):
        term = term * w
        total = total + term
    return total


def clipped(x):
    t = x.detach().tanh()
    t[t < 0] = 0.0
    return (t * x).sum()
