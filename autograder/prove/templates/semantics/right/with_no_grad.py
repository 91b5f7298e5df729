# TODO(author): a correct solution that is unusual
"""Copies the target under no_grad."""

import torch


def pull(prediction, target):
    with torch.no_grad():
        fixed = target * 1
    return torch.nn.functional.mse_loss(prediction, fixed)
