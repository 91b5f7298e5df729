# TODO(author): one file for each mistake, named after it
"""The gradient is summed before it is multiplied by v."""

import torch


def hvp(x, v):
    t = x.clone().requires_grad_()
    (g,) = torch.autograd.grad((t[:-1] ** 2 * t[1:]).sum(), t, create_graph=True)
    (second,) = torch.autograd.grad(g.sum(), t)
    return second * v
