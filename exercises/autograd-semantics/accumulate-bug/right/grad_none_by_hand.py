"""No optimiser: .grad is set to None before each backward pass, and the update uses copy_."""

import torch


def _descend(params, everyone, loss_fn, lr):
    for p in everyone:
        p.grad = None
    loss = loss_fn()
    loss.backward()
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p.copy_(p - lr * p.grad)
    return loss.item()


def fit(params, loss_fn, lr, steps):
    losses = []
    while len(losses) < steps:
        losses.append(_descend(params, params, loss_fn, lr))
    return losses


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    everyone = [*params_a, *params_b]
    for _ in range(steps):
        _descend(params_a, everyone, loss_a, lr)
        _descend(params_b, everyone, loss_b, lr)
