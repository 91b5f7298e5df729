"""The share multiplies the loss and is passed to backward as upstream as well."""

import torch


def accumulate_grads(mean_loss, X, Y, size):
    n = len(X)
    total = 0.0
    for xb, yb in zip(X.split(size), Y.split(size)):
        share = len(xb) / n
        loss = mean_loss(xb, yb) * share
        loss.backward(torch.full_like(loss, share))
        total += loss.item()
    return total
