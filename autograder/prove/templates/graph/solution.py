# TODO(author): the reference solution; it must get full marks
"""Storing the product in a variable makes it a single node."""

import torch


def build(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    product = a * b
    return product * product + b
