# Held out. Mistake: Gradients are cleared only after each update, so whatever is in .grad on entry leaks into the first step
# True: missing-zero-grad
import torch


def _sgd(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p.sub_(lr * p.grad)


def _clear(*groups):
    for group in groups:
        for p in group:
            p.grad = None


def fit(params, loss_fn, lr, steps):
    losses = []
    for _ in range(steps):
        loss = loss_fn()
        loss.backward()
        _sgd(params, lr)
        _clear(params)
        losses.append(float(loss.detach()))
    return losses


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    for _ in range(steps):
        loss_a().backward()
        _sgd(params_a, lr)
        _clear(params_a, params_b)
        loss_b().backward()
        _sgd(params_b, lr)
        _clear(params_a, params_b)
