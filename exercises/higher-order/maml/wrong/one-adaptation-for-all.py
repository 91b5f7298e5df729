"""Adapts to the mean of all support losses."""

import torch


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    total = 0.0
    fast = list(params)
    for _ in range(inner_steps):
        loss = sum(loss_fn(fast, support) for support, _ in tasks) / len(tasks)
        grads = torch.autograd.grad(loss, fast, create_graph=not first_order, allow_unused=True)
        fast = [p if g is None else p - inner_lr * g for p, g in zip(fast, grads)]
    for _, query in tasks:
        total = total + loss_fn(fast, query)
    return total / len(tasks)
