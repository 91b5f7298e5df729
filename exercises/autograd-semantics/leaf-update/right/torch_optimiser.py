"""A new optimiser for each step. It has no state without momentum."""

import torch


def sgd_step(params, lr):
    moving = [p for p in params if p.grad is not None]
    if moving:
        torch.optim.SGD(moving, lr=lr).step()
