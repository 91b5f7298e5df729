# TODO(author): a file with one bug, which runs without an error
import torch


def fit(x, y, w, steps, rate):
    w = w.clone().requires_grad_()
    for _ in range(steps):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= rate * w.grad
    return w.detach()
