from collections.abc import Callable

import torch


def gradient_penalty(
    critic: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, *, target: float = 1.0
) -> torch.Tensor:
    """The mean of (norm of the critic's gradient - target) ** 2 over the samples of x."""
    raise NotImplementedError("your part")
