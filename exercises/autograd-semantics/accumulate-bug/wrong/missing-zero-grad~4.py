"""No gradients are cleared anywhere, as in the starter: every step adds to all earlier ones."""

import torch


def fit(params, loss_fn, lr, steps):
    opt = torch.optim.SGD(params, lr=lr)
    losses = []
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
        loss_a().backward()
        opt_a.step()
        loss_b().backward()
        opt_b.step()
