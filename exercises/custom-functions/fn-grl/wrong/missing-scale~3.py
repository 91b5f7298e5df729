"""The detach trick without lam: the gradient is -g."""

import torch


def grad_reverse(x, lam):
    return 2 * x.detach() - x
