"""torch.func on a dictionary of parameters, and first order through a constant shift."""

import torch


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    names = [f"p{n}" for n in range(len(params))]

    def loss(named, batch):
        return loss_fn([named[name] for name in names], batch)

    total = 0.0
    for support, query in tasks:
        start = dict(zip(names, params))
        named = {name: p.detach() for name, p in start.items()} if first_order else dict(start)
        for _ in range(inner_steps):
            slopes = torch.func.grad(loss)(named, support)
            named = {name: named[name] - inner_lr * slopes[name] for name in names}
        if first_order:
            named = {name: start[name] + (named[name] - start[name]).detach() for name in names}
        total = total + loss(named, query)
    return total / len(tasks)
