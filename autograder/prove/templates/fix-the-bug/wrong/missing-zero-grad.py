# TODO(author): one file for each mistake, named after it
"""The gradient is cleared before the first step only."""

import torch


def fit(x, y, w, steps, rate):
    w = w.clone().requires_grad_()
    w.grad = None
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= rate * w.grad
    return w.detach()
