# TODO(author): unusual code that is right
"""A copy of the target, made while nothing is recorded."""

import torch


def pull(prediction, target):
    with torch.no_grad():
        fixed = target * 1
    return torch.nn.functional.mse_loss(prediction, fixed)
