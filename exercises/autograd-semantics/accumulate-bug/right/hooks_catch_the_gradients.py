"""Hooks on the parameters catch the gradients on their way to .grad, which is never read and never cleared."""

import contextlib

import torch


@contextlib.contextmanager
def caught(params):
    gradients = {}
    with contextlib.ExitStack() as hooks:
        for p in params:
            hooks.callback(p.register_hook(lambda g, p=p: gradients.update({p: g})).remove)
        yield gradients


def gradient_step(params, loss_fn, lr):
    with caught(params) as gradients:
        loss = loss_fn()
        loss.backward()
    with torch.no_grad():
        for p, g in gradients.items():
            p.sub_(g, alpha=lr)
    return loss.item()


def fit(params, loss_fn, lr, steps):
    return [gradient_step(params, loss_fn, lr) for _ in range(steps)]


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    for params, loss_fn in [(params_a, loss_a), (params_b, loss_b)] * steps:
        gradient_step(params, loss_fn, lr)
