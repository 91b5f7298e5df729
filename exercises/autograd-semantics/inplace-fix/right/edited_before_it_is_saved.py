"""In-place operations remain where nobody needs the old numbers: on sums, and on fresh results that nothing has saved."""

import torch


def shifted(x):
    h = torch.expm1(x).add(2)
    return h.square().sum()


def gated(x):
    s = x.neg().exp().add(1)
    y = x / s
    return y.add_(0.0).sum()


def powers(w, n):
    terms = [torch.ones_like(w)]
    while len(terms) <= n:
        terms.append(w * terms[-1])
    return torch.stack(terms).sum()


def clipped(x):
    mask = (x > 0).to(x.dtype)
    y = torch.tanh(x) * x
    y = y.mul_(mask)
    return y.sum()
