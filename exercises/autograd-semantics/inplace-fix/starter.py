import torch


def shifted(x):
    h = x.exp()
    h += 1
    return (h * h).sum()


def gated(x):
    s = x.sigmoid()
    s.mul_(x)
    return s.sum()


def powers(w, n):
    terms = torch.ones(n + 1, dtype=w.dtype)
    for i in range(1, n + 1):
        terms[i] = terms[i - 1] * w
    return terms.sum()


def clipped(x):
    t = x.tanh()
    t[t < 0] = 0.0
    return (t * x).sum()
