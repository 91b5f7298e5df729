"""One line per node. A tensor that is used twice is assigned to a variable, so it is one node."""

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
