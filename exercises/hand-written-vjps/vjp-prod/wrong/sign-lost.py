"""The product of the others through logarithms of absolute values."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    with np.errstate(all="ignore"):
        logs = np.log(np.abs(x))
    n = x.size if axis is None else x.shape[axis]
    logs = np.moveaxis(logs.reshape(1, -1), -1, 0) if axis is None else np.moveaxis(logs, axis, 0)
    others = np.array([np.exp(np.delete(logs, i, axis=0).sum(axis=0)) for i in range(n)]).reshape(logs.shape)
    if axis is None:
        return (g.reshape(()) * others.reshape(x.shape),)
    if not keepdims:
        g = np.expand_dims(g, axis)
    return (g * np.moveaxis(others, 0, axis),)


def cumprod_vjp(g, x, *, axis):
    xs, gs = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    out = np.zeros(xs.shape)
    for i in range(len(xs)):
        for k in range(i, len(xs)):
            out[i] += gs[k] * np.delete(xs[: k + 1], i, axis=0).prod(axis=0)
    return (np.moveaxis(out, 0, axis),)
