"""For a factor that was copied along the batch, the gradient of one copy is taken instead of the sum."""

import numpy as np


def summed_to(g, shape):
    while g.ndim > len(shape):
        g = g[-1] if len(g) else g.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1 and g.shape[axis]:
            g = g.take([-1], axis=axis)
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


def matmul_vjp(g, a, b):
    a2 = a[None, :] if a.ndim == 1 else a
    b2 = b[:, None] if b.ndim == 1 else b
    if b.ndim == 1:
        g = np.expand_dims(g, -1)
    if a.ndim == 1:
        g = np.expand_dims(g, -2)
    da = summed_to(g @ np.swapaxes(b2, -1, -2), a2.shape)
    db = summed_to(np.swapaxes(a2, -1, -2) @ g, b2.shape)
    return da.reshape(a.shape), db.reshape(b.shape)
