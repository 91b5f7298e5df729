"""numpy writes into the memory of the tensor."""

import torch


def shifted(x):
    h = x.exp()
    a = h.detach().numpy()
    a += 1
    return (h * h).sum()


def gated(x):
    return torch.sum(torch.sigmoid(x) * x)


def powers(w, n):
    out = torch.ones_like(w)
    p = torch.ones_like(w)
    for _ in range(n):
        p = p * w
        out = out + p
    return out


def clipped(x):
    return (torch.relu(x.tanh()) * x).sum()
