# Held out. Mistake: Computes the transposed product G^T A for db and forces it into the shape of b with reshape
# True: reshape-for-transpose
import numpy as np


def matmul_vjp(g, a, b):
    """da = g @ b^T, db = g^T @ a, brought to the right shapes at the end."""
    G = np.array(g, dtype=np.float64)
    A = a if a.ndim > 1 else a[np.newaxis, :]
    B = b if b.ndim > 1 else b[:, np.newaxis]
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    G = G.reshape(batch + (A.shape[-2], B.shape[-1]))

    da = G @ B.swapaxes(-1, -2)
    db = G.swapaxes(-1, -2) @ A

    def total(d, shape):
        k = d.ndim - len(shape)
        d = d.sum(axis=tuple(range(k)))
        stretched = tuple(i for i in range(len(shape) - 2) if shape[i] == 1)
        return d.sum(axis=stretched, keepdims=True)

    return total(da, A.shape).reshape(a.shape), total(db, B.shape).reshape(b.shape)
