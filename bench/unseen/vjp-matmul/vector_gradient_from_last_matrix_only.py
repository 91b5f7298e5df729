# Held out. Mistake: for a batch of matrices times a vector, the gradient of the vector is taken from the last matrix of the batch, not summed over all of them.
import numpy as np


def _t(m):
    return np.swapaxes(m, -1, -2)


def _fit(d, shape):
    """Sum the broadcast axes of d away."""
    lead = d.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(lead + i for i, n in enumerate(shape) if n == 1)
    return d.sum(axis=axes).reshape(shape)


def matmul_vjp(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if a.ndim == 1 and b.ndim == 1:
        return g * b, g * a

    if b.ndim == 1:
        da = g[..., :, None] * b
        per_matrix = np.matmul(_t(a), g[..., None])[..., 0]
        db = np.zeros(b.shape)
        for row in per_matrix.reshape(-1, *b.shape) if b.size else ():
            db = row.copy()
        return da, db

    if a.ndim == 1:
        row = g[..., None, :]
        da = np.matmul(row, _t(b))
        db = a[:, None] * row
        return _fit(da, (1,) + a.shape)[0], db

    return _fit(g @ _t(b), a.shape), _fit(_t(a) @ g, b.shape)
