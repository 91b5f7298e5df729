"""detach_() makes the update possible, and takes the flag away."""


def sgd_step(params, lr):
    for p in params:
        if p.grad is not None:
            p.detach_()
            p.add_(p.grad, alpha=-lr)
