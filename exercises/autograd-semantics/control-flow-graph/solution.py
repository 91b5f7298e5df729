"""Plain Python control flow: the graph contains the operations that ran, and no others."""

import torch


def piecewise(x: torch.Tensor) -> torch.Tensor:
    if x > 0:
        return x * x.sqrt()
    return x * x


def grow(x: torch.Tensor, limit: float) -> tuple[torch.Tensor, int]:
    h = x
    steps = 0
    while steps < 50 and h.norm() <= limit:
        h = 1.5 * h + h.sin()
        steps += 1
    return h, steps
