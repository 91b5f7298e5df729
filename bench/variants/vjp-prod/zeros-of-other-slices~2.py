"""An early return as soon as the array has two zeros."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    if np.sum(x == 0) > 1:
        return (np.zeros(x.shape),)
    rest = np.prod(np.where(x == 0, 1.0, x), axis=axis, keepdims=True)
    some = np.any(x == 0, axis=axis, keepdims=True)
    g = np.reshape(g, rest.shape)
    return (g * np.where(x == 0, rest, np.where(some, 0.0, rest / np.where(x == 0, 1.0, x))),)


def cumprod_vjp(g, x, *, axis):
    xs, gs = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    out = np.zeros(xs.shape)
    for i in range(len(xs)):
        for k in range(i, len(xs)):
            out[i] += gs[k] * np.delete(xs[: k + 1], i, axis=0).prod(axis=0)
    return (np.moveaxis(out, 0, axis),)
