# TODO(author): unusual code that is right
"""With functions for operators, and the operands in another order."""

import torch


def build(a, b):
    product = torch.multiply(b, a)
    return torch.add(b, torch.mul(product, product))
