"""The trunk is run again for the second loss, to get around the error of a second backward pass."""

import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    loss_a = head_a(trunk(x))
    grads_a = torch.autograd.grad(loss_a, params, materialize_grads=True)
    loss_b = head_b(trunk(x))
    grads_b = torch.autograd.grad(loss_b, params, materialize_grads=True)
    return list(grads_a), list(grads_b)
