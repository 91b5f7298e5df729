"""The name p is bound to a new tensor; nothing else happens."""


def sgd_step(params, lr):
    for p in params:
        if p.grad is not None:
            p = p - lr * p.grad
