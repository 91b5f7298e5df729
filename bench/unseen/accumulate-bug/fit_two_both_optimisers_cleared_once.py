# Held out. Mistake: In fit_two both optimisers are cleared once at the start of a step but not between the two backward passes, so params_b is updated with the gradient of loss_a + loss_b
# True: leaks-other-loss-grad
import torch


def fit(params, loss_fn, lr, steps):
    optimizer = torch.optim.SGD(params, lr=lr)
    history = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = loss_fn()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    return history


def fit_two(params_a, params_b, loss_a, loss_b, lr, steps):
    opt_a = torch.optim.SGD(params_a, lr=lr)
    opt_b = torch.optim.SGD(params_b, lr=lr)
    for step in range(steps):
        # fresh gradients for this step
        opt_a.zero_grad()
        opt_b.zero_grad()

        loss_a().backward()
        opt_a.step()

        loss_b().backward()
        opt_b.step()
