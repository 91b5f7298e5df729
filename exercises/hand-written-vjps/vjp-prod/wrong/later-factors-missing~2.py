"""Only the factors after an entry."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    if axis is None:
        (d,) = prod_vjp(g.reshape(()), x.reshape(-1), axis=0)
        return (d.reshape(x.shape),)
    if not keepdims:
        g = np.expand_dims(g, axis)
    return (g * np.flip(before_each(np.flip(x, axis), axis), axis),)


def cumprod_vjp(g, x, *, axis):
    xs, gs = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    out = np.zeros(xs.shape)
    for i in range(len(xs)):
        for k in range(i, len(xs)):
            out[i] += gs[k] * np.delete(xs[: k + 1], i, axis=0).prod(axis=0)
    return (np.moveaxis(out, 0, axis),)


def before_each(x, axis):
    shifted = np.ones(x.shape)
    np.moveaxis(shifted, axis, 0)[1:] = np.moveaxis(x, axis, 0)[:-1]
    return np.cumprod(shifted, axis=axis)
