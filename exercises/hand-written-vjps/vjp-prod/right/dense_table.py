"""A table of all factors for each pair of an output and an entry, with the entry itself replaced by 1."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    rows = x.ravel() if axis is None else np.swapaxes(x, axis, -1)
    n = rows.shape[-1]
    table = np.where(np.eye(n, dtype=bool), 1.0, rows[..., None, :])
    others = table.prod(axis=-1)
    if axis is None:
        return (others.reshape(x.shape) * g.item(),)
    kept = g if keepdims else np.expand_dims(g, axis)
    return (np.swapaxes(others, axis, -1) * kept,)


def cumprod_vjp(g, x, *, axis):
    rows, upstream = np.swapaxes(x, axis, -1), np.swapaxes(g, axis, -1)
    n = rows.shape[-1]
    output, entry, factor = np.ogrid[:n, :n, :n]
    table = np.where((factor > output) | (factor == entry), 1.0, rows[..., None, None, :])
    jacobian = np.where(np.tri(n, dtype=bool), table.prod(axis=-1), 0.0)
    return (np.swapaxes(np.einsum("...k,...ki->...i", upstream, jacobian), axis, -1),)
