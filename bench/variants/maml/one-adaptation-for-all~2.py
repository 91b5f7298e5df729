"""Adapts to the sum of all support losses."""

import torch


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    at = list(params)
    for _ in range(inner_steps):
        loss = torch.stack([loss_fn(at, support) for support, _ in tasks]).sum()
        slopes = torch.autograd.grad(loss, at, create_graph=not first_order, materialize_grads=True)
        at = [p - inner_lr * g for p, g in zip(at, slopes)]
    return torch.stack([loss_fn(at, query) for _, query in tasks]).mean()
