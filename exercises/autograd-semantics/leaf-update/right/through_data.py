"""An in-place operation on .data writes into the same memory."""


def sgd_step(params, lr):
    for p in params:
        if p.grad is not None:
            p.data.sub_(p.grad.data, alpha=lr)
