"""Parameters without a gradient are left out, and the lists are too short."""

import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    loss_a, loss_b = head_a(h), head_b(h)
    grads_a = torch.autograd.grad(loss_a, params, retain_graph=True, allow_unused=True)
    grads_b = torch.autograd.grad(loss_b, params, allow_unused=True)
    return [g for g in grads_a if g is not None], [g for g in grads_b if g is not None]
