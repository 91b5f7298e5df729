"""Every micro-batch is weighted by its share of the rows, and `.grad` accumulates the weighted gradients."""

from collections.abc import Callable

import torch


def accumulate_grads(
    mean_loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], X: torch.Tensor, Y: torch.Tensor, size: int
) -> float:
    rows = len(X)
    total = 0.0
    for start in range(0, rows, size):
        xb = X[start : start + size]
        yb = Y[start : start + size]
        share = len(xb) / rows
        loss = mean_loss(xb, yb) * share
        loss.backward()
        total += loss.item()
    return total
