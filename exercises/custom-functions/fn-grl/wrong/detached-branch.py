"""The hook is on a detached copy, which requires grad for itself: nothing reaches x."""

import torch


def grad_reverse(x, lam):
    y = x.detach().clone().requires_grad_(x.requires_grad)
    if y.requires_grad:
        y.register_hook(lambda g: -lam * g)
    return y
