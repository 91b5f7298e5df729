# Mistake: only the gradient of the right factor is summed over broadcast batches
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
    da = g @ B.swapaxes(-1, -2)
    db = summed(A.swapaxes(-1, -2) @ g, B.shape).reshape(b.shape)
    if a.ndim == 1 and da.ndim == 2:
        da = da.reshape(a.shape)
    return da, db
