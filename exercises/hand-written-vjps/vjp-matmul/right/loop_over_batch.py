"""A loop over the batch: every product adds its contributions in place to the two matrices that it was computed from."""

import numpy as np


def own(index, shape):
    """The position, in a batch of this shape, of the matrix for position `index` in the batch of the result."""
    tail = index[len(index) - len(shape):]
    return tuple(0 if size == 1 else i for i, size in zip(tail, shape, strict=True))


def matmul_vjp(g, a, b):
    rows, columns = np.atleast_2d(a), b if b.ndim > 1 else b[:, np.newaxis]
    batch = np.broadcast_shapes(rows.shape[:-2], columns.shape[:-2])
    g = np.reshape(g, (*batch, rows.shape[-2], columns.shape[-1]))
    da, db = np.zeros(rows.shape), np.zeros(columns.shape)
    for index in np.ndindex(*batch):
        at_a, at_b = own(index, rows.shape[:-2]), own(index, columns.shape[:-2])
        da[at_a] += np.tensordot(g[index], columns[at_b], (1, 1))
        db[at_b] += np.tensordot(rows[at_a], g[index], (0, 0))
    return da.reshape(a.shape), db.reshape(b.shape)
