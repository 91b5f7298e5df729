# TODO(author): a correct solution that is unusual
"""The gradient is returned instead of accumulated."""

import torch


def fit(x, y, w, steps, rate):
    for _ in range(steps):
        w = w.detach().requires_grad_()
        (g,) = torch.autograd.grad(((x @ w - y) ** 2).mean(), w)
        w = w - rate * g
    return w.detach().clone()
