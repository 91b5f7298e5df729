"""The gradients keep the batch axes of the result; copies along a batch are not summed."""

import numpy as np


def matmul_vjp(g, a, b):
    a2 = a[None, :] if a.ndim == 1 else a
    b2 = b[:, None] if b.ndim == 1 else b
    if b.ndim == 1:
        g = np.expand_dims(g, -1)
    if a.ndim == 1:
        g = np.expand_dims(g, -2)
    da = g @ np.swapaxes(b2, -1, -2)
    db = np.swapaxes(a2, -1, -2) @ g
    if a.ndim == 1:
        da = da.squeeze(-2)
    if b.ndim == 1:
        db = db.squeeze(-1)
    return da, db
