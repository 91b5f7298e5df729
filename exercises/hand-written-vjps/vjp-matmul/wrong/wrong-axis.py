import numpy as np


def _sum_to(x, shape):
    extra = x.ndim - len(shape)
    axes = tuple(range(extra))
    axes += tuple(extra + i for i, n in enumerate(shape) if n == 1)
    return x.sum(axis=axes).reshape(shape)


def _mT(x):
    return np.swapaxes(x, -1, -2)


def matmul_vjp(g, a, b):
    G = np.asarray(g)
    A, B = a, b
    if B.ndim == 1:
        B = B[:, np.newaxis]
        G = G[..., np.newaxis]
    if A.ndim == 1:
        A = A[np.newaxis, :]
        G = G[np.newaxis, ...]
    da = _sum_to(G @ _mT(B), A.shape).reshape(a.shape)
    db = _sum_to(_mT(A) @ G, B.shape).reshape(b.shape)
    return da, db
