"""A hook on the result fails if the result does not require grad."""

import torch


def grad_reverse(x, lam):
    y = x.view_as(x)
    y.register_hook(lambda g: -lam * g)
    return y
