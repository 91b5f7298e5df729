"""backward() in the inner steps."""

import torch


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    total = 0.0
    for support, query in tasks:
        fast = [p.clone() for p in params]
        for _ in range(inner_steps):
            for p in fast:
                p.retain_grad()
            loss_fn(fast, support).backward(create_graph=True)
            grads = [p.grad for p in fast]
            if first_order:
                grads = [None if g is None else g.detach() for g in grads]
            fast = [p if g is None else p - inner_lr * g for p, g in zip(fast, grads)]
        total = total + loss_fn(fast, query)
    return total / len(tasks)
