# Mistake: stretched axes of size 1 are not summed
# True: missing-unbroadcast
import numpy as np


def _reduce(g, shape):
    extra = g.ndim - len(shape)
    return g.sum(axis=tuple(range(extra))) if extra > 0 else g


def matmul_vjp(g, a, b):
    a2 = np.expand_dims(a, 0) if a.ndim == 1 else a
    b2 = np.expand_dims(b, 1) if b.ndim == 1 else b
    g2 = g
    if b.ndim == 1:
        g2 = np.expand_dims(g2, -1)
    if a.ndim == 1:
        g2 = np.expand_dims(g2, -2)
    da = _reduce(g2 @ b2.swapaxes(-1, -2), a2.shape)
    db = _reduce(a2.swapaxes(-1, -2) @ g2, b2.shape)
    if a.ndim == 1:
        da = da[0]
    if b.ndim == 1:
        db = db[:, 0]
    return da, db
