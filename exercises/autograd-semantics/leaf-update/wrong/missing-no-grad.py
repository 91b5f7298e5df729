"""The update is in place and recorded, which autograd refuses."""


def sgd_step(params, lr):
    for p in params:
        if p.grad is not None:
            p -= lr * p.grad
