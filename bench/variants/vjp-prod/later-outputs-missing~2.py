"""The same with a loop."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    if axis is None:
        (d,) = prod_vjp(g.reshape(()), x.reshape(-1), axis=0)
        return (d.reshape(x.shape),)
    if not keepdims:
        g = np.expand_dims(g, axis)
    others = np.ones(x.shape)
    n = x.shape[axis]
    for i in range(n):
        rest = [j for j in range(n) if j != i]
        np.moveaxis(others, axis, 0)[i] = np.moveaxis(x, axis, 0)[rest].prod(axis=0)
    return (g * others,)


def cumprod_vjp(g, x, *, axis):
    dx = np.zeros(x.shape)
    xs, gs, ds = (np.moveaxis(a, axis, 0) for a in (x, g, dx))
    for k in range(xs.shape[0]):
        ds[k] = gs[k] * np.prod(xs[:k], axis=0)
    return (dx,)
