"""The sign of a difference decides."""

import numpy as np


def spread(g, axis, keepdims):
    if axis is None or keepdims:
        return g
    return np.expand_dims(g, axis)


def amax_vjp(g, x, *, axis=None, keepdims=False):
    mask = x == np.max(x, axis=axis, keepdims=True)
    n = mask.sum(axis=axis, keepdims=True)
    return (spread(g, axis, keepdims) * mask / n,)


def max_first_vjp(g, x, *, axis, keepdims=False):
    index = np.expand_dims(np.argmax(x, axis=axis), axis)
    dx = np.zeros(x.shape)
    np.put_along_axis(dx, index, spread(g, axis, keepdims), axis)
    return (dx,)


def maximum_vjp(g, x, y):
    s = np.sign(x - y)
    return g * (1 + s) / 2, g * (1 - s) / 2
