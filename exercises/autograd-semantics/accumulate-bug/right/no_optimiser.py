"""No optimiser and no .grad: autograd.grad returns the gradients, and the parameters are updated in place."""

import torch


def _step(params, loss, lr):
    grads = torch.autograd.grad(loss, params, allow_unused=True)
    with torch.no_grad():
        for p, g in zip(params, grads):
            if g is not None:
                p -= lr * g
    return float(loss.detach())


def fit(params, loss_fn, lr, steps):
    return [_step(params, loss_fn(), lr) for _ in range(steps)]


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    for _ in range(steps):
        _step(params_a, loss_a(), lr)
        _step(params_b, loss_b(), lr)
