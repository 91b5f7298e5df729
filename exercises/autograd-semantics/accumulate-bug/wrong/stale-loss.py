"""fit_two evaluates both losses before it updates anything, so the second group moves by a loss of old parameters."""

import torch


def fit(params, loss_fn, lr, steps):
    opt = torch.optim.SGD(params, lr=lr)
    losses = []
    for _ in range(steps):
        opt.zero_grad()
        loss = loss_fn()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    params_a, params_b = list(params_a), list(params_b)
    opt = torch.optim.SGD(params_a + params_b, lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        by_a = torch.autograd.grad(loss_a(), params_a, allow_unused=True)
        by_b = torch.autograd.grad(loss_b(), params_b, allow_unused=True)
        for p, g in zip(params_a + params_b, by_a + by_b):
            p.grad = g
        opt.step()
