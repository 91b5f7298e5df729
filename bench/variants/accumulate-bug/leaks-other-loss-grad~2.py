"""fit_two clears each group right after its own step, so each loss finds the other's gradient."""

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
    opt_a = torch.optim.SGD(params_a, lr=lr)
    opt_b = torch.optim.SGD(params_b, lr=lr)
    opt_a.zero_grad()
    opt_b.zero_grad()
    for _ in range(steps):
        loss_a().backward()
        opt_a.step()
        opt_a.zero_grad()
        loss_b().backward()
        opt_b.step()
        opt_b.zero_grad()
