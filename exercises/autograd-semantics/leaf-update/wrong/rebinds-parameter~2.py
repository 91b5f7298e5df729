"""The list receives new leaves; the old ones stay as they were."""


def sgd_step(params, lr):
    for i, p in enumerate(params):
        if p.grad is not None:
            new = (p - lr * p.grad).detach().requires_grad_()
            new.grad = p.grad
            params[i] = new
