"""Only a float and a detached tensor remain after each step, so its graph can be freed."""

from collections.abc import Callable

import torch


def track(
    step_fn: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]], state: torch.Tensor, steps: int
) -> tuple[list[float], torch.Tensor]:
    losses = []
    state = state.detach()
    for _ in range(steps):
        loss, new_state = step_fn(state)
        loss.backward()
        losses.append(loss.item())
        state = new_state.detach()
    return losses, state
