"""Every step makes a new tensor, so whatever an operation has saved stays as it was."""

import torch


def shifted(x: torch.Tensor) -> torch.Tensor:
    h = x.exp() + 1
    return (h * h).sum()


def gated(x: torch.Tensor) -> torch.Tensor:
    return (x.sigmoid() * x).sum()


def powers(w: torch.Tensor, n: int) -> torch.Tensor:
    total = term = torch.ones((), dtype=w.dtype)
    for _ in range(n):
        term = term * w
        total = total + term
    return total


def clipped(x: torch.Tensor) -> torch.Tensor:
    t = x.tanh().clamp(min=0)
    return (t * x).sum()
