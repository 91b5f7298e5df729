"""The double where: elements that are not positive are replaced before the operation, and its result is replaced after it."""

import torch


def safe_log(x: torch.Tensor) -> torch.Tensor:
    good = x > 0
    return torch.where(good, torch.where(good, x, 1.0).log(), 0.0)


def safe_sqrt(x: torch.Tensor) -> torch.Tensor:
    good = x > 0
    return torch.where(good, torch.where(good, x, 1.0).sqrt(), 0.0)


def safe_norm(x: torch.Tensor) -> torch.Tensor:
    return safe_sqrt((x * x).sum())
