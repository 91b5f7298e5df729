"""Zeros count as ones in the quotient and in the product."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    z = np.prod(x, axis=axis, keepdims=True)
    g = np.reshape(g, z.shape)
    quotient = np.ones(x.shape)
    np.divide(z, x, out=quotient, where=x != 0)
    return (g * quotient,)


def cumprod_vjp(g, x, *, axis):
    xs, gs = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    out = np.zeros(xs.shape)
    for i in range(len(xs)):
        for k in range(i, len(xs)):
            out[i] += gs[k] * np.delete(xs[: k + 1], i, axis=0).prod(axis=0)
    return (np.moveaxis(out, 0, axis),)
