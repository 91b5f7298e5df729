"""The loss of each step sees the parameters that have moved already."""

import torch


def step(loss_fn, at, batch, lr, first_order):
    for n in range(len(at)):
        slope = torch.autograd.grad(loss_fn(at, batch), at[n], create_graph=True, materialize_grads=True)[0]
        slope = slope.detach() if first_order else slope
        at = [*at[:n], at[n] - lr * slope, *at[n + 1 :]]
    return at


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    losses = []
    for support, query in tasks:
        at = list(params)
        for _ in range(inner_steps):
            at = step(loss_fn, at, support, inner_lr, first_order)
        losses.append(loss_fn(at, query))
    return torch.stack(losses).mean()
