"""Only the factors before an entry."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    if axis is None:
        (d,) = prod_vjp(g.reshape(()), x.reshape(-1), axis=0)
        return (d.reshape(x.shape),)
    if not keepdims:
        g = np.expand_dims(g, axis)
    return (g * before_each(x, axis),)


def cumprod_vjp(g, x, *, axis):
    later = np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis)
    return (later * before_each(x, axis),)


def before_each(x, axis):
    shifted = np.ones(x.shape)
    np.moveaxis(shifted, axis, 0)[1:] = np.moveaxis(x, axis, 0)[:-1]
    return np.cumprod(shifted, axis=axis)
