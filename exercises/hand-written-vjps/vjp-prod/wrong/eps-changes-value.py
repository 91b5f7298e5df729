"""Zeros become 1e-12 before the division."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    x = np.where(x == 0, 1e-12, x)
    z = np.prod(x, axis=axis, keepdims=True)
    return (np.reshape(g, z.shape) * z / x,)


def cumprod_vjp(g, x, *, axis):
    x = np.where(x == 0, 1e-12, x)
    y = np.cumprod(x, axis=axis)
    return (np.flip(np.cumsum(np.flip(g * y, axis), axis=axis), axis) / x,)
