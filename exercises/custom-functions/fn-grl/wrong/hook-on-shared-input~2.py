"""A new tensor is returned, but the hook is still on x."""

import torch


def grad_reverse(x, lam):
    y = x.view_as(x)
    if x.requires_grad:
        x.register_hook(lambda g: -lam * g)
    return y
