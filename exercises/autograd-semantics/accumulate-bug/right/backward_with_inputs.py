"""backward(inputs=...) fills one group only; gradients are cleared on entry and after each step."""

import torch


def fit(params, loss_fn, lr, steps):
    opt = torch.optim.SGD(params, lr=lr)
    opt.zero_grad(set_to_none=False)
    losses = []
    for _ in range(steps):
        loss = loss_fn()
        loss.backward(inputs=params)
        losses.append(loss.item())
        opt.step()
        opt.zero_grad(set_to_none=False)
    return losses


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    turns = [(params, torch.optim.SGD(params, lr=lr)) for params in (params_a, params_b)]
    for _, opt in turns:
        opt.zero_grad()
    for _ in range(steps):
        for (params, opt), loss_fn in zip(turns, (loss_a, loss_b)):
            loss_fn().backward(inputs=params)
            opt.step()
            opt.zero_grad()
