"""The product is divided by each entry."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    z = np.prod(x, axis=axis, keepdims=True)
    g = np.reshape(g, z.shape)
    return (g * z / x,)


def cumprod_vjp(g, x, *, axis):
    y = np.cumprod(x, axis=axis)
    total = np.flip(np.cumsum(np.flip(g * y, axis), axis=axis), axis)
    return (total / x,)
