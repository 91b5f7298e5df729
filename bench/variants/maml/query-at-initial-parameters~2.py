"""The helper does not hand its result over."""

import torch


def step(loss_fn, at, batch, lr, first_order):
    loss = loss_fn(at, batch)
    slopes = torch.autograd.grad(loss, at, create_graph=True, materialize_grads=True)
    if first_order:
        slopes = [g.detach() for g in slopes]
    return [p - lr * g for p, g in zip(at, slopes)]


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    losses = []
    for support, query in tasks:
        at = list(params)
        for _ in range(inner_steps):
            step(loss_fn, at, support, inner_lr, first_order)
        losses.append(loss_fn(at, query))
    return torch.stack(losses).mean()
