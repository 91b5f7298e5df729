# Held out. Mistake: gradients are cleared after the update only, so what was there on entry counts
# True: missing-zero-grad
import torch


def step(params, lr):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
                p.grad.zero_()


def fit(params, loss_fn, lr, steps):
    losses = []
    for _ in range(steps):
        loss = loss_fn()
        loss.backward()
        step(params, lr)
        losses.append(loss.item())
    return losses


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    for _ in range(steps):
        for p in params_a + params_b:
            p.grad = None
        loss_a().backward()
        step(params_a, lr)
        for p in params_a + params_b:
            p.grad = None
        loss_b().backward()
        step(params_b, lr)
