"""Each step starts at the parameters again."""

import torch


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    total = 0.0
    for support, query in tasks:
        fast = list(params)
        for _ in range(inner_steps):
            grads = torch.autograd.grad(loss_fn(fast, support), fast, create_graph=not first_order, allow_unused=True)
            fast = [p if g is None else p - inner_lr * g for p, g in zip(params, grads)]
        total = total + loss_fn(fast, query)
    return total / len(tasks)
