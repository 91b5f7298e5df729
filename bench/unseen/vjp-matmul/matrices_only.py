# Mistake: vectors are not handled
# True: vectors-as-matrices
import numpy as np


def unbroadcast(g, shape):
    axes = tuple(range(g.ndim - len(shape)))
    g = g.sum(axis=axes)
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1)
    return g.sum(axis=axes, keepdims=True)


def matmul_vjp(g, a, b):
    da = np.matmul(g, np.swapaxes(b, -1, -2))
    db = np.matmul(np.swapaxes(a, -1, -2), g)
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)
