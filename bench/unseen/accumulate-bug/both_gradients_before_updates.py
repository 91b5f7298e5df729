# Held out. Mistake: fit_two computes the gradient of loss_b before params_a is updated, so params_b is moved with a gradient at the old params_a.
# True: stale-loss
import torch


def _grads(loss, params):
    return torch.autograd.grad(loss, params, allow_unused=True)


def _update(params, grads, lr):
    with torch.no_grad():
        for p, g in zip(params, grads):
            if g is not None:
                p -= lr * g


def fit(params, loss_fn, lr, steps):
    history = []
    for _ in range(steps):
        loss = loss_fn()
        history.append(float(loss.detach()))
        _update(params, _grads(loss, params), lr)
    return history


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    for _ in range(steps):
        grads_a = _grads(loss_a(), params_a)
        grads_b = _grads(loss_b(), params_b)
        _update(params_a, grads_a, lr)
        _update(params_b, grads_b, lr)
