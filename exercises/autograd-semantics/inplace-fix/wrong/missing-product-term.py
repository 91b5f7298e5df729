"""The loop of powers ends one step early: w ** n is missing."""

import torch


def shifted(x):
    return (x.exp() + 1).square().sum()


def gated(x):
    return (x * torch.sigmoid(x)).sum()


def powers(w, n):
    total = torch.zeros_like(w)
    term = torch.ones_like(w)
    for _ in range(n):
        total = total + term
        term = term * w
    return total


def clipped(x):
    return (torch.relu(torch.tanh(x)) * x).sum()
