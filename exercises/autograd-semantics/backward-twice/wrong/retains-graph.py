"""retain_graph=True in both passes: it runs, and everything the trunk saved stays in memory."""

import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    loss_a, loss_b = head_a(h), head_b(h)
    lists = []
    for loss in (loss_a, loss_b):
        grads = torch.autograd.grad(loss, params, retain_graph=True, allow_unused=True)
        lists.append([torch.zeros_like(p) if g is None else g for p, g in zip(params, grads)])
    return lists[0], lists[1]
