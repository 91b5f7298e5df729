"""The product before an entry contains it, in cumprod_vjp."""

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
    before = np.cumprod(x, axis=axis)
    xs, gs, bs = (np.moveaxis(a, axis, 0) for a in (x, g, before))
    out = np.zeros(xs.shape)
    carried = np.zeros(xs.shape[1:])
    for i in range(len(xs) - 1, -1, -1):
        carried = carried + gs[i]
        out[i] = carried * bs[i]
        carried = carried * xs[i]
    return (np.moveaxis(out, 0, axis),)
