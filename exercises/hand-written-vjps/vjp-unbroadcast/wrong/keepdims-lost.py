"""Stretched axes are summed away altogether: an axis of size 1 is missing from the gradient."""


def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=ones)


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
