"""One slice of each copied axis is taken in place of the sum over it."""

import numpy as np


def unbroadcast(g, shape):
    if g.size == 0:
        return np.zeros(shape)
    for _ in range(g.ndim - len(shape)):
        g = g[0]
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.take([0], axis=axis)
    return g


def add_vjp(g, x, y):
    return unbroadcast(g, x.shape), unbroadcast(g, y.shape)


def mul_vjp(g, x, y):
    return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)
