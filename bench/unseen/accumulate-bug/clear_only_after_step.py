# Held out. Mistake: gradients are cleared only after each update, so what .grad holds on entry goes into the first step
# True: missing-zero-grad
import torch


@torch.no_grad()
def step_and_reset(to_update, to_reset, lr):
    """One gradient step for `to_update`, then every tensor of `to_reset` gets a fresh gradient."""
    for p in to_update:
        if p.grad is None:
            continue
        p.add_(p.grad, alpha=-lr)
    for p in to_reset:
        p.grad = None


def fit(params, loss_fn, lr, steps):
    history = []
    while len(history) < steps:
        loss = loss_fn()
        history.append(float(loss.detach()))
        loss.backward()
        step_and_reset(params, params, lr)
    return history


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    everything = list(params_a) + list(params_b)
    turns = [(loss_a, params_a), (loss_b, params_b)]
    for _ in range(steps):
        for loss_fn, group in turns:
            loss_fn().backward()
            step_and_reset(group, everything, lr)   # loss_a writes into b as well, so reset both
