import torch


def shifted(x):
    h = x.exp()
    h = h + 1
    return (h * h).sum()


def gated(x):
    s = x.sigmoid()
    s.data.mul_(x.data)
    return s.sum()


def powers(w, n):
    terms = [torch.ones((), dtype=w.dtype)]
    for i in range(n):
        terms.append(terms[-1] * w)
    return sum(terms)


def clipped(x):
    t = x.tanh()
    t = torch.where(t < 0, torch.zeros_like(t), t)
    return (t * x).sum()
