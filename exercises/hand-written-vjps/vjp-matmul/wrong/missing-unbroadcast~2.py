"""Batch axes that one factor lacks are summed, but axes stretched from size 1 are not."""

import numpy as np


def summed_to(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    return g


def matmul_vjp(g, a, b):
    a2 = a[None, :] if a.ndim == 1 else a
    b2 = b[:, None] if b.ndim == 1 else b
    if b.ndim == 1:
        g = np.expand_dims(g, -1)
    if a.ndim == 1:
        g = np.expand_dims(g, -2)
    da = summed_to(g @ np.swapaxes(b2, -1, -2), a2.shape)
    db = summed_to(np.swapaxes(a2, -1, -2) @ g, b2.shape)
    if a.ndim == 1:
        da = da[..., 0, :]
    if b.ndim == 1:
        db = db[..., 0]
    return da, db
