"""Hooks: one on a tensor of its own, which returns a new gradient, and one that stores a copy."""

from typing import Any

import torch


def scaled(t: torch.Tensor, c: float) -> torch.Tensor:
    out = t.view_as(t)
    if out.requires_grad:
        out.register_hook(lambda grad: grad * c)
    return out


def record(t: torch.Tensor) -> tuple[list[torch.Tensor], Any]:
    log: list[torch.Tensor] = []

    def keep(grad: torch.Tensor) -> None:
        log.append(grad.detach().clone())

    return log, t.register_hook(keep)
