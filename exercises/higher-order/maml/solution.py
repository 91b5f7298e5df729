"""Every task adapts its own list of tensors, whose graph leads back to the parameters through all of its steps."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

Loss = Callable[[list[torch.Tensor], Any], torch.Tensor]


def adapt(
    loss_fn: Loss, params: list[torch.Tensor], support: Any, inner_lr: float, inner_steps: int, first_order: bool
) -> list[torch.Tensor]:
    adapted = params
    for _ in range(inner_steps):
        loss = loss_fn(adapted, support)
        grads = torch.autograd.grad(loss, adapted, create_graph=not first_order, allow_unused=True)
        adapted = [p if g is None else p - inner_lr * g for p, g in zip(adapted, grads, strict=True)]
    return adapted


def maml_loss(
    loss_fn: Loss,
    params: list[torch.Tensor],
    tasks: Sequence[tuple[Any, Any]],
    *,
    inner_lr: float,
    inner_steps: int,
    first_order: bool = False,
) -> torch.Tensor:
    losses = [
        loss_fn(adapt(loss_fn, params, support, inner_lr, inner_steps, first_order), query) for support, query in tasks
    ]
    return torch.stack(losses).mean()
