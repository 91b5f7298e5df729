"""allow_unused gives None for a parameter that a loss does not reach, and None is returned."""

import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    loss_a, loss_b = head_a(h), head_b(h)
    grads_a = torch.autograd.grad(loss_a, params, retain_graph=True, allow_unused=True)
    grads_b = torch.autograd.grad(loss_b, params, allow_unused=True)
    return list(grads_a), list(grads_b)
