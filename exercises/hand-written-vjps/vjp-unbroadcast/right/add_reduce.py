"""np.add.reduce from the last axis to the first, one axis at a time."""

import numpy as np


def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    for axis in reversed(range(g.ndim)):
        if axis < added:
            g = np.add.reduce(g, axis=axis)
        elif shape[axis - added] < g.shape[axis] or g.shape[axis] == 0 != shape[axis - added]:
            g = np.add.reduce(g, axis=axis, keepdims=True)
    return g


def add_vjp(g, x, y):
    return unbroadcast(g, np.shape(x)), unbroadcast(g, np.shape(y))


def mul_vjp(g, x, y):
    dx = unbroadcast(np.multiply(g, y), np.shape(x))
    dy = unbroadcast(np.multiply(g, x), np.shape(y))
    return dx, dy
