"""Only the gradient of the left factor is written. The right one is a left one too, because z.T is b.T @ a.T.
A recursion over the axes, from the first one, sums what was broadcast."""

import numpy as np


def matmul_vjp(g, a, b):
    rows = a if a.ndim > 1 else a[None, :]
    columns = b if b.ndim > 1 else b[:, None]
    g = g[..., None] if b.ndim == 1 else g
    g = g[..., None, :] if a.ndim == 1 else g
    return (
        left(g, rows, columns).reshape(a.shape),
        left(g.mT, columns.mT, rows.mT).mT.reshape(b.shape),
    )


def left(g, a, b):
    return collapse(np.matmul(g, b.mT), a.shape)


def collapse(d, shape):
    """The gradient d of a broadcast array, with the shape that the array had before."""
    if d.ndim > len(shape):
        return collapse(d.sum(axis=0), shape)
    if d.shape == shape:
        return d
    axis = next(i for i, sizes in enumerate(zip(d.shape, shape, strict=True)) if sizes[0] != sizes[1])
    return collapse(d.sum(axis=axis, keepdims=True), shape)
