"""The style stays in place; what was saved is cloned before it is edited."""

import torch


def shifted(x):
    h = x.exp().clone()
    h += 1
    return (h * h).sum()


def gated(x):
    s = x.sigmoid()
    y = s.clone()
    y.mul_(x)
    return y.sum()


def powers(w, n):
    terms = torch.ones(n + 1, dtype=w.dtype)
    for i in range(1, n + 1):
        terms[i] = terms[i - 1].clone() * w
    return terms.sum()


def clipped(x):
    t = x.tanh().clone()
    t[t < 0] = 0.0
    return (t * x).sum()
