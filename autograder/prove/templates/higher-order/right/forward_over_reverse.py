# TODO(author): a correct solution that is unusual
"""The directional derivative of the gradient, in forward mode."""

import torch


def hvp(x, v):
    gradient = torch.func.grad(lambda t: (t[:-1] ** 2 * t[1:]).sum())
    return torch.func.jvp(gradient, (x,), (v,))[1]
