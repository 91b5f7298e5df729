# Mistake: fit_two computes the gradient of loss_b before params_a have been updated
# True: stale-loss
import torch


def fit(params, loss_fn, lr, steps):
    losses = []
    for _ in range(steps):
        loss = loss_fn()
        grads = torch.autograd.grad(loss, params, allow_unused=True)
        with torch.no_grad():
            for p, g in zip(params, grads):
                if g is not None:
                    p -= lr * g
        losses.append(loss.item())
    return losses


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    for _ in range(steps):
        grads_a = torch.autograd.grad(loss_a(), params_a, allow_unused=True)
        grads_b = torch.autograd.grad(loss_b(), params_b, allow_unused=True)
        with torch.no_grad():
            for p, g in zip(params_a, grads_a):
                if g is not None:
                    p -= lr * g
            for p, g in zip(params_b, grads_b):
                if g is not None:
                    p -= lr * g
