"""One line per node: a name for a tensor that is used twice is what makes it one node."""

import torch


def build_one(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    product = a * b
    plus_b = product + b
    both = plus_b * product
    return both * 3.0


def build_two(a: torch.Tensor) -> torch.Tensor:
    e = a.exp()
    square = e * e
    return square.sum()
