"""Evaluates the loss again for each parameter."""

import torch


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    total = 0.0
    for support, query in tasks:
        fast = list(params)
        for _ in range(inner_steps):
            for n, p in enumerate(fast):
                (g,) = torch.autograd.grad(loss_fn(fast, support), p, create_graph=not first_order, allow_unused=True)
                if g is not None:
                    fast[n] = p - inner_lr * g
        total = total + loss_fn(fast, query)
    return total / len(tasks)
