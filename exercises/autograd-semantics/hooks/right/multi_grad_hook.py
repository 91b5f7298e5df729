"""record uses the hook for several tensors with one tensor. scaled multiplies by c and then restores the value in place."""

import torch
from torch.autograd.graph import register_multi_grad_hook


def scaled(t, c):
    product = t * c
    with torch.no_grad():
        return product.copy_(t)


def record(t):
    log = []

    def note(gradient):
        log.append(gradient.detach().clone())

    return log, register_multi_grad_hook([t], note, mode="any")
