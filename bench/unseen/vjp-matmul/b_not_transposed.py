# Mistake: b is not transposed in the gradient of a
# True: missing-transpose
import numpy as np


def fit(g, shape):
    while g.ndim > len(shape):
        g = g.sum(0)
    for ax, s in enumerate(shape):
        if s == 1 and g.shape[ax] != 1:
            g = g.sum(ax, keepdims=True)
    return g


def matmul_vjp(g, a, b):
    va, vb = a.ndim == 1, b.ndim == 1
    A = a[np.newaxis, :] if va else a
    B = b[:, np.newaxis] if vb else b
    G = g
    if vb:
        G = G[..., np.newaxis]
    if va:
        G = G[..., np.newaxis, :]
    if B.shape[-1] == B.shape[-2]:
        da = G @ B
    else:
        da = G @ B.swapaxes(-1, -2)
    db = A.swapaxes(-1, -2) @ G
    return fit(da, A.shape).reshape(a.shape), fit(db, B.shape).reshape(b.shape)
