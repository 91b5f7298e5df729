"""Only b is transposed on the way to da; db is computed as a @ g."""

import numpy as np


def summed_to(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=ones, keepdims=True)


def matmul_vjp(g, a, b):
    a2 = a[None, :] if a.ndim == 1 else a
    b2 = b[:, None] if b.ndim == 1 else b
    if b.ndim == 1:
        g = np.expand_dims(g, -1)
    if a.ndim == 1:
        g = np.expand_dims(g, -2)
    da = summed_to(g @ np.swapaxes(b2, -1, -2), a2.shape)
    db = summed_to(a2 @ g, b2.shape)
    return da.reshape(a.shape), db.reshape(b.shape)
