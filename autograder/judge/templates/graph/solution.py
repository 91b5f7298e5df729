# TODO(author): the reference; it must get full marks
"""A name for what is used twice is what makes it one node."""

import torch


def build(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    product = a * b
    return product * product + b
