"""The zeros of the whole array are counted, not those of each slice."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    z = np.prod(x, axis=axis, keepdims=True)
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    n_zero = np.count_nonzero(x == 0)
    if n_zero == 0:
        return (g * z / x,)
    if n_zero == 1:
        rest = np.prod(np.where(x == 0, 1, x), axis=axis, keepdims=True)
        return (np.where(x == 0, g * rest, 0.0),)
    return (np.zeros_like(x),)


def cumprod_vjp(g, x, *, axis):
    xs, gs = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    out = np.zeros(xs.shape)
    for i in range(len(xs)):
        for k in range(i, len(xs)):
            out[i] += gs[k] * np.delete(xs[: k + 1], i, axis=0).prod(axis=0)
    return (np.moveaxis(out, 0, axis),)
