from collections.abc import Callable

import torch

Function = Callable[[torch.Tensor], torch.Tensor]


def pathwise(
    f: Function, mu: torch.Tensor, sigma: torch.Tensor, eps: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradient of the mean of f(mu + sigma * eps) with respect to mu and sigma."""
    raise NotImplementedError("write this function")


def score_function(
    f: Function, mu: torch.Tensor, sigma: torch.Tensor, eps: torch.Tensor, baseline: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """The mean of f(x) times the score, with respect to mu and sigma. f is not differentiated."""
    raise NotImplementedError("write this function")
