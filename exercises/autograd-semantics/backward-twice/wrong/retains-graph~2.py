"""create_graph=True is taken for the flag that allows a second pass; it retains the graph and records a new one."""

import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    loss_a, loss_b = head_a(h), head_b(h)
    lists = []
    for loss in (loss_a, loss_b):
        grads = torch.autograd.grad(loss, params, create_graph=True, materialize_grads=True)
        lists.append([g.detach().clone() for g in grads])
    return lists[0], lists[1]
