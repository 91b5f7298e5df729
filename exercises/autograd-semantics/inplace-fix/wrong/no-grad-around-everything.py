"""In-place operations are allowed under no_grad, and no gradient remains."""

import torch


def shifted(x):
    with torch.no_grad():
        h = x.exp()
        h += 1
        return (h * h).sum()


def gated(x):
    with torch.no_grad():
        s = x.sigmoid()
        s.mul_(x)
    return s.sum()


def powers(w, n):
    with torch.no_grad():
        terms = torch.ones(n + 1, dtype=w.dtype)
        for i in range(1, n + 1):
            terms[i] = terms[i - 1] * w
    return terms.sum()


@torch.no_grad()
def clipped(x):
    t = x.tanh()
    t[t < 0] = 0.0
    return (t * x).sum()
