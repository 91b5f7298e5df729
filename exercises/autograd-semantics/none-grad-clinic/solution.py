"""Every loss is connected to its variable, and autograd.grad returns this gradient alone."""

from typing import Any

import torch


def clinic_1(data: Any) -> torch.Tensor:
    w = torch.tensor(data, requires_grad=True)
    loss = (w**2).sum()
    return torch.autograd.grad(loss, w)[0]


def clinic_2(data: Any) -> torch.Tensor:
    w = (torch.tensor(data) * 0.5).requires_grad_()
    loss = (w**3).sum()
    return torch.autograd.grad(loss, w)[0]


def clinic_3(w: torch.Tensor) -> torch.Tensor:
    loss = (w.exp() * w).sum()
    return torch.autograd.grad(loss, w)[0]


def clinic_4(w: torch.Tensor) -> torch.Tensor:
    h = w * 3
    loss = (h**2).sum()
    return torch.autograd.grad(loss, w)[0]


def clinic_5(w: torch.Tensor) -> torch.Tensor:
    h = w.sin()
    loss = (h * h).sum() + w.sum()
    return torch.autograd.grad(loss, w)[0]


def clinic_6(w: torch.Tensor, u: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    loss = (2 * w).sum()
    return torch.autograd.grad(loss, w)[0], torch.zeros_like(u)
