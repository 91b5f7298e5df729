# Mistake: only the gradient of the left factor is summed over broadcast batches
# True: missing-unbroadcast
import numpy as np


def summed(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


def matmul_vjp(g, a, b):
    A = a.reshape(1, -1) if a.ndim == 1 else a
    B = b.reshape(-1, 1) if b.ndim == 1 else b
    if b.ndim == 1:
        g = np.expand_dims(g, -1)
    if a.ndim == 1:
        g = np.expand_dims(g, -2)
    da = summed(g @ B.swapaxes(-1, -2), A.shape).reshape(a.shape)
    db = A.swapaxes(-1, -2) @ g
    if b.ndim == 1 and db.ndim == 2:
        db = db.reshape(b.shape)
    return da, db
