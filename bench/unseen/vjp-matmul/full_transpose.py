# Mistake: .T reverses the batch axes too
# True: transposes-all-axes
import numpy as np


def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=i, keepdims=True)
    return g


def matmul_vjp(g, a, b):
    A = a[None, :] if a.ndim == 1 else a
    B = b[:, None] if b.ndim == 1 else b
    G = g
    if a.ndim == 1:
        G = np.expand_dims(G, -2) if b.ndim > 1 else G[None]
    if b.ndim == 1:
        G = np.expand_dims(G, -1)
    dA = G @ B.T
    dB = A.T @ G
    return unbroadcast(dA, A.shape).reshape(a.shape), unbroadcast(dB, B.shape).reshape(b.shape)
