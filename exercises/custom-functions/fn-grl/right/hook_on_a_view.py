"""A hook on a new tensor sees the gradient of this path only."""



from functools import partial


def scaled(factor, g):
    return factor * g


def grad_reverse(x, lam):
    y = x.view_as(x)
    if y.requires_grad:
        y.register_hook(partial(scaled, -lam))
    return y
