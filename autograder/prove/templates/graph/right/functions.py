# TODO(author): a correct solution that is unusual
"""Functions instead of operators, and operands in a different order."""

import torch


def build(a, b):
    product = torch.multiply(b, a)
    return torch.add(b, torch.mul(product, product))
