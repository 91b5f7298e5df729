"""If the whole batch shares a factor, the batch is folded into the rows and a single matrix product sums over it.
Otherwise the smaller factor is repeated first."""

import numpy as np


def matmul_vjp(g, a, b):
    if a.ndim == 1 and b.ndim == 1:
        return g * b, g * a
    if a.ndim == 1:
        da, db = matmul_vjp(g[..., None, :], a[None, :], b)
        return da[0], db
    if b.ndim == 1:
        da, db = matmul_vjp(g[..., None], a, b[:, None])
        return da, db[:, 0]
    if b.ndim == 2:
        rows, wide = int(np.prod(a.shape[:-1])), g.reshape(int(np.prod(g.shape[:-1])), b.shape[1])
        return (wide @ b.T).reshape(a.shape), a.reshape(rows, a.shape[-1]).T @ wide
    batch = g.shape[:-2]
    whole_a = np.broadcast_to(a, batch + a.shape[-2:])
    whole_b = np.broadcast_to(b, batch + b.shape[-2:])
    da = np.matmul(g, np.moveaxis(whole_b, -1, -2))
    db = np.matmul(np.moveaxis(whole_a, -1, -2), g)
    for axis in range(len(batch)):
        place = axis - len(batch) - 2
        if len(a.shape) < -place or a.shape[place] != batch[axis]:
            da = da.sum(axis=axis, keepdims=True)
        if len(b.shape) < -place or b.shape[place] != batch[axis]:
            db = db.sum(axis=axis, keepdims=True)
    return da.reshape(a.shape), db.reshape(b.shape)
