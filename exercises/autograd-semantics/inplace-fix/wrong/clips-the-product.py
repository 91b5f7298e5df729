"""Clipped clips the product instead of its first factor; tanh(x) * x is never negative, so nothing is clipped."""

import torch


def shifted(x):
    e = x.exp()
    return (e * e + 2 * e + 1).sum()


def gated(x):
    gate = 1 / (1 + torch.exp(-x))
    return (gate * x).sum()


def powers(w, n):
    result = 1.0 + 0.0 * w
    p = w
    for _ in range(n):
        result = result + p
        p = p * w
    return result


def clipped(x):
    product = x.tanh() * x
    zero = torch.zeros_like(product)
    return torch.where(product < 0, zero, product).sum()
