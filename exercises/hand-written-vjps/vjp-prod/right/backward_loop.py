"""The loop of multiplications and its backward pass, one multiplication after the other."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    if axis is None:
        upstream = np.zeros(x.size)
        if x.size:
            upstream[-1] = float(np.squeeze(g))
        return (cumprod_vjp(upstream, x.flatten(), axis=0)[0].reshape(x.shape),)
    upstream = np.zeros(np.moveaxis(x, axis, 0).shape)
    if upstream.shape[0]:
        upstream[-1] = np.squeeze(g, axis) if keepdims else g
    return cumprod_vjp(np.moveaxis(upstream, 0, axis), x, axis=axis)


def cumprod_vjp(g, x, *, axis):
    factors = list(np.moveaxis(x, axis, 0))
    upstreams = list(np.moveaxis(g, axis, 0))
    partial = [1.0]
    for factor in factors:
        partial.append(partial[-1] * factor)
    dx = np.zeros(x.shape)
    into = np.moveaxis(dx, axis, 0)
    dz = 0.0
    for i in range(len(factors) - 1, -1, -1):
        dz = dz + upstreams[i]
        into[i] = dz * partial[i]
        dz = dz * factors[i]
    return (dx,)
