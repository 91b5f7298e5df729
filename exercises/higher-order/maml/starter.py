from collections.abc import Callable, Sequence
from typing import Any

import torch


def maml_loss(
    loss_fn: Callable[[list[torch.Tensor], Any], torch.Tensor],
    params: list[torch.Tensor],
    tasks: Sequence[tuple[Any, Any]],
    *,
    inner_lr: float,
    inner_steps: int,
    first_order: bool = False,
) -> torch.Tensor:
    """The mean over the tasks of the query loss after inner_steps steps on the support loss, starting at params."""
    raise NotImplementedError("write this function")
