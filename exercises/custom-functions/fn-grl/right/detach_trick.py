"""No Function at all: the difference is exactly 0, and only its gradient counts."""

import torch


def grad_reverse(x, lam):
    return x.detach() - lam * (x - x.detach())
