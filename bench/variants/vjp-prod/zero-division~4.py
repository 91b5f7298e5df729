"""A reciprocal."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    z = np.prod(x, axis=axis, keepdims=keepdims)
    d = np.asarray(g * z)
    if axis is not None and not keepdims:
        d = np.expand_dims(d, axis)
    return (d * np.reciprocal(x),)


def cumprod_vjp(g, x, *, axis):
    y = np.cumprod(x, axis=axis)
    total = np.flip(np.cumsum(np.flip(g * y, axis), axis=axis), axis)
    return (total / x,)
