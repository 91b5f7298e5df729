"""The next task starts at the data of the adapted parameters."""

import torch


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    total, start = 0.0, list(params)
    for support, query in tasks:
        fast = list(start)
        for _ in range(inner_steps):
            grads = torch.autograd.grad(loss_fn(fast, support), fast, create_graph=not first_order, allow_unused=True)
            fast = [p if g is None else p - inner_lr * g for p, g in zip(fast, grads)]
        total = total + loss_fn(fast, query)
        start = [p + (q - p).detach() for p, q in zip(params, fast)]
    return total / len(tasks)
