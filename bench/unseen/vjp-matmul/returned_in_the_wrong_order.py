# Held out. Mistake: the two gradients are returned in each other's place
# True: operands-swapped
import numpy as np


def back(g, shape):
    extra = g.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=axes, keepdims=True).reshape(shape)


def matmul_vjp(g, a, b):
    A = a[None, :] if a.ndim == 1 else a
    B = b[:, None] if b.ndim == 1 else b
    G = g
    if a.ndim == 1:
        G = np.expand_dims(G, -1 if b.ndim == 1 else -2)
    if b.ndim == 1:
        G = np.expand_dims(G, -1)
    first = np.matmul(np.swapaxes(A, -1, -2), G)
    second = np.matmul(G, np.swapaxes(B, -1, -2))
    return back(first, B.shape).reshape(b.shape), back(second, A.shape).reshape(a.shape)
