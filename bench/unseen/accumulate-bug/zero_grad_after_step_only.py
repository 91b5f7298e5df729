# Held out. Mistake: fit clears the gradients only after each step, so whatever .grad holds on entry is added to the first gradient and the first update is wrong.
# True: missing-zero-grad
import torch


def fit(params, loss_fn, lr, steps):
    opt = torch.optim.SGD(params, lr=lr)
    losses = []
    for _ in range(steps):
        loss = loss_fn()
        losses.append(loss.item())
        loss.backward()
        opt.step()
        opt.zero_grad()
    return losses


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    opt_a = torch.optim.SGD(params_a, lr=lr)
    opt_b = torch.optim.SGD(params_b, lr=lr)
    for _ in range(steps):
        opt_a.zero_grad()
        loss_a().backward()
        opt_a.step()

        opt_b.zero_grad()
        loss_b().backward()
        opt_b.step()
