"""The flag is removed so that the update is allowed, and never set again."""


def sgd_step(params, lr):
    for p in params:
        if p.grad is not None:
            p.requires_grad_(False)
            p -= lr * p.grad
