# TODO(author): a file for each mistake; its name says which
"""The gradient is summed before it is multiplied with v."""

import torch


def hvp(x, v):
    t = x.clone().requires_grad_()
    (g,) = torch.autograd.grad((t[:-1] ** 2 * t[1:]).sum(), t, create_graph=True)
    (second,) = torch.autograd.grad(g.sum(), t)
    return second * v
