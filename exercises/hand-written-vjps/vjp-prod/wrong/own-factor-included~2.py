"""The products before and after an entry both contain it."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    if axis is None:
        (d,) = prod_vjp(g.reshape(()), x.reshape(-1), axis=0)
        return (d.reshape(x.shape),)
    if not keepdims:
        g = np.expand_dims(g, axis)
    before = np.cumprod(x, axis=axis)
    after = np.flip(np.cumprod(np.flip(x, axis), axis=axis), axis)
    return (g * before * after,)


def cumprod_vjp(g, x, *, axis):
    xs, gs = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    out = np.zeros(xs.shape)
    for i in range(len(xs)):
        for k in range(i, len(xs)):
            out[i] += gs[k] * np.delete(xs[: k + 1], i, axis=0).prod(axis=0)
    return (np.moveaxis(out, 0, axis),)
