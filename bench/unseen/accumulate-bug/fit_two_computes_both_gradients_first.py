# Held out. Mistake: fit_two computes both gradients first and then updates both groups, so loss_b is evaluated with the old params_a
# True: stale-loss
import torch


def fit(params, loss_fn, lr, steps):
    out = []
    for _ in range(steps):
        for p in params:
            p.grad = None
        loss = loss_fn()
        loss.backward()
        out.append(loss.item())
        with torch.no_grad():
            for p in params:
                if p.grad is not None:
                    p -= lr * p.grad
    return out


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    for _ in range(steps):
        # autograd.grad does not touch .grad, so nothing can accumulate
        grads_a = torch.autograd.grad(loss_a(), params_a, allow_unused=True)
        grads_b = torch.autograd.grad(loss_b(), params_b, allow_unused=True)
        with torch.no_grad():
            for p, g in zip(params_a, grads_a):
                if g is not None:
                    p -= lr * g
            for p, g in zip(params_b, grads_b):
                if g is not None:
                    p -= lr * g
