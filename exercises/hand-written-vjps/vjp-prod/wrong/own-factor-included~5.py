"""In cumprod_vjp, the gradient that comes from later outputs is multiplied by the entry itself and not by the next one."""

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
    xs, gs = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    before = np.cumprod(np.concatenate([np.ones((1, *xs.shape[1:])), xs[:-1]]) if len(xs) else xs, axis=0)
    out = np.zeros(xs.shape)
    carried = np.zeros(xs.shape[1:])
    for i in range(len(xs) - 1, -1, -1):
        carried = carried * xs[i] + gs[i]
        out[i] = carried * before[i]
    return (np.moveaxis(out, 0, axis),)
