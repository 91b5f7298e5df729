from collections.abc import Callable

import torch


def nth_derivative(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, n: int) -> torch.Tensor:
    """The n-th derivative of the elementwise function f at every entry of x."""
    raise NotImplementedError("your part")
