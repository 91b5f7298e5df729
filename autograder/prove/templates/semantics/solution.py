# TODO(author): the reference solution; it must get full marks
"""Detaches the target, and nothing else."""

import torch


def pull(prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    error = prediction - target.detach()
    return (error * error).mean()
