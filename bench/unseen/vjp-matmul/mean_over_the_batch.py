# Held out. Mistake: contributions of the batch are averaged
# True: sum-vs-mean
import numpy as np


def back(g, shape):
    extra = g.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1)
    return g.mean(axis=axes, keepdims=True).reshape(shape)


def matmul_vjp(g, a, b):
    A = a[None, :] if a.ndim == 1 else a
    B = b[:, None] if b.ndim == 1 else b
    G = g
    if a.ndim == 1:
        G = np.expand_dims(G, -1 if b.ndim == 1 else -2)
    if b.ndim == 1:
        G = np.expand_dims(G, -1)
    da = back(G @ B.swapaxes(-1, -2), A.shape)
    db = back(A.swapaxes(-1, -2) @ G, B.shape)
    return da.reshape(a.shape), db.reshape(b.shape)
