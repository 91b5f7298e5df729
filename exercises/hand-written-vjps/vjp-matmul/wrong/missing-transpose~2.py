"""The factors are given their transposed shape with reshape, which leaves the numbers in their order."""

import numpy as np


def summed_to(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=ones, keepdims=True)


def turned(m):
    return m.reshape(*m.shape[:-2], m.shape[-1], m.shape[-2])


def matmul_vjp(g, a, b):
    a2 = a[None, :] if a.ndim == 1 else a
    b2 = b[:, None] if b.ndim == 1 else b
    if b.ndim == 1:
        g = np.expand_dims(g, -1)
    if a.ndim == 1:
        g = np.expand_dims(g, -2)
    da = summed_to(g @ turned(b2), a2.shape)
    db = summed_to(turned(a2) @ g, b2.shape)
    return da.reshape(a.shape), db.reshape(b.shape)
