"""Max_first also gives the gradient to the entries between the first and the second tied entry."""

import numpy as np


def restore(a, shape, axis):
    axes = range(len(shape)) if axis is None else np.atleast_1d(axis) % len(shape)
    return a.reshape([1 if n in axes else s for n, s in enumerate(shape)])


def amax_vjp(g, x, *, axis=None, keepdims=False):
    biggest = x == x.max(axis=axis, keepdims=True)
    number = biggest.sum(axis=axis, keepdims=True)
    return (np.where(biggest, restore(g, x.shape, axis) / number, 0.0),)


def max_first_vjp(g, x, *, axis, keepdims=False):
    biggest = x == x.max(axis=axis, keepdims=True)
    first = np.cumsum(biggest, axis=axis) == 1
    return (np.where(first, restore(g, x.shape, axis), 0.0),)


def maximum_vjp(g, x, y):
    dx = np.where(x > y, g, 0.0)
    dy = np.where(y > x, g, 0.0)
    tie = x == y
    dx[tie] = g[tie] / 2
    dy[tie] = g[tie] / 2
    return dx, dy
