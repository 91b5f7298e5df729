from collections.abc import Callable

import torch


def linear_solve(A: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The x with A x = b, differentiable in A and b."""
    raise NotImplementedError("your part")


def fixed_point(
    f: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], theta: torch.Tensor, z0: torch.Tensor
) -> torch.Tensor:
    """The z with f(z, theta) = z, found from z0 and differentiable in theta."""
    raise NotImplementedError("your part")
