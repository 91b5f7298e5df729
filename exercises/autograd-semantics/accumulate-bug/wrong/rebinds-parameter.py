import torch


def gradient_step(params, loss, lr):
    grads = torch.autograd.grad(loss, params, allow_unused=True)
    for i, (p, g) in enumerate(zip(params, grads)):
        if g is None:
            continue
        params[i] = (p - lr * g).detach().requires_grad_(True)


def fit(params, loss_fn, lr, steps):
    losses = []
    for _ in range(steps):
        loss = loss_fn()
        losses.append(loss.item())
        gradient_step(params, loss, lr)
    return losses


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    for _ in range(steps):
        gradient_step(params_a, loss_a(), lr)
        gradient_step(params_b, loss_b(), lr)
