"""The product of the whole array for each slice."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    flat = x.reshape(-1)
    others = np.array([np.delete(flat, i).prod() for i in range(x.size)]).reshape(x.shape)
    return (g * others if axis is not None else g.reshape(()) * others,)


def cumprod_vjp(g, x, *, axis):
    xs, gs = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    out = np.zeros(xs.shape)
    for i in range(len(xs)):
        for k in range(i, len(xs)):
            out[i] += gs[k] * np.delete(xs[: k + 1], i, axis=0).prod(axis=0)
    return (np.moveaxis(out, 0, axis),)
