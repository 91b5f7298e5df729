"""In gated and clipped, the edit goes through a detached alias of the same memory, so the error disappears and the
saved numbers are wrong.
"""

import torch


def shifted(x):
    h = x.exp()
    k = h + 1
    return (k ** 2).sum()


def gated(x):
    s = x.sigmoid()
    out = s * x
    s.data.mul_(x.data)
    return out.sum()


def powers(w, n):
    terms = [torch.ones((), dtype=w.dtype)]
    while len(terms) <= n:
        terms.append(terms[-1] * w)
    return torch.stack(terms).sum()


def clipped(x):
    t = x.tanh()
    array = t.detach().numpy()
    array[array < 0] = 0.0
    return (t * x).sum()
