# Mistake: for a vector times a batch of matrices, np.outer flattens the whole upstream and the result is reshaped, which mixes the batch with the rows
# True: reshape-for-transpose
import numpy as np


def _t(m):
    return np.swapaxes(m, -1, -2)


def _fold(grad, shape):
    front = grad.ndim - len(shape)
    grad = grad.sum(axis=tuple(range(front)))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 and grad.shape[i] != 1)
    return grad.sum(axis=stretched, keepdims=True)


def matmul_vjp(g, a, b):
    if a.ndim == 1 and b.ndim == 1:
        # z = sum a_i b_i
        return g * b, g * a

    if b.ndim == 1:
        # matrices times vector
        column = g[..., None]
        da = column * b
        db = (column * a).sum(axis=tuple(range(a.ndim - 1)))
        return da, db

    if a.ndim == 1:
        # vector times matrices
        da = np.matmul(b, g[..., None])[..., 0]
        da = da.sum(axis=tuple(range(da.ndim - 1)))
        db = np.outer(a, g).reshape(b.shape)
        return da, db

    da = np.matmul(g, _t(b))
    db = np.matmul(_t(a), g)
    return _fold(da, a.shape), _fold(db, b.shape)
