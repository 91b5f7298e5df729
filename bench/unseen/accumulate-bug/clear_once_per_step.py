# Held out. Mistake: fit_two clears all gradients once at the start of a step, so what loss_a left in params_b is added to the gradient of loss_b
# True: leaks-other-loss-grad
import torch


def _clear(params):
    for p in params:
        p.grad = None


def _descend(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad


def fit(params, loss_fn, lr, steps):
    losses = []
    for _ in range(steps):
        _clear(params)
        loss = loss_fn()
        losses.append(loss.item())
        if loss.requires_grad:
            loss.backward()
        _descend(params, lr)
    return losses


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    for _ in range(steps):
        # a new step begins: both groups start from an empty gradient
        _clear(params_a)
        _clear(params_b)

        # group a
        loss_a().backward()
        _descend(params_a, lr)

        # group b, with the new params_a
        loss_b().backward()
        _descend(params_b, lr)
