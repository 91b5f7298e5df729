"""The geometric series has a closed form that divides by w - 1."""

import torch


def shifted(x):
    return (x.exp() + 1).square().sum()


def gated(x):
    return (x * torch.sigmoid(x)).sum()


def powers(w, n):
    return (w ** (n + 1) - 1) / (w - 1)


def clipped(x):
    return (torch.relu(torch.tanh(x)) * x).sum()
