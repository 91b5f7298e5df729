"""Keeps every result and asks for all gradients at once."""

from collections.abc import Callable, Sequence

import torch


def intermediate_grads(
    fs: Sequence[Callable[[torch.Tensor], torch.Tensor]], x: torch.Tensor
) -> list[torch.Tensor]:
    results = [x]
    for f in fs:
        results.append(f(results[-1]))
    return list(torch.autograd.grad(results[-1], results))
