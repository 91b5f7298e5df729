# Mistake: one optimiser holds both groups, so each loss moves both
# True: updates-other-group
import torch


def fit(params, loss_fn, lr, steps):
    opt = torch.optim.SGD(params, lr=lr)
    history = []
    for _ in range(steps):
        opt.zero_grad()
        loss = loss_fn()
        loss.backward()
        opt.step()
        history.append(loss.item())
    return history


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    opt = torch.optim.SGD([*params_a, *params_b], lr=lr)
    for _ in range(steps):
        for loss_fn in (loss_a, loss_b):
            opt.zero_grad()
            loss_fn().backward()
            opt.step()
