# TODO(author): the reference; it must get full marks
"""The target is detached on its way in, and only there."""

import torch


def pull(prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    error = prediction - target.detach()
    return (error * error).mean()
