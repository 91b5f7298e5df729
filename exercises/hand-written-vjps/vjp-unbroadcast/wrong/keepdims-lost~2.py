"""Axes that broadcasting put in front are summed but kept, as extra axes of size 1."""


def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    padded = (1,) * added + shape
    ones = tuple(i for i, n in enumerate(padded) if n == 1)
    return g.sum(axis=ones, keepdims=True)


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
