# TODO(author): the reference solution; it must get full marks
"""The gradient is cleared before each backward pass."""

import torch


def fit(x: torch.Tensor, y: torch.Tensor, w: torch.Tensor, steps: int, rate: float) -> torch.Tensor:
    w = w.clone().requires_grad_()
    for _ in range(steps):
        w.grad = None
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= rate * w.grad
    return w.detach()
