"""The gradient itself is multiplied by the learning rate."""

import torch


def sgd_step(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= p.grad.mul_(lr)
