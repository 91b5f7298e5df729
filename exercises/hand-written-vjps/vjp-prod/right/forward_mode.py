"""Forward mode, one position of all slices at a time: derivatives are carried along with the products."""

import numpy as np


def slopes(rows, i):
    """The derivative of each running product of a row with respect to its entry i."""
    value, slope = np.ones(rows.shape[:-1]), np.zeros(rows.shape[:-1])
    found = np.empty(rows.shape)
    for k in range(rows.shape[-1]):
        slope = slope * rows[..., k] + value * (k == i)
        value = value * rows[..., k]
        found[..., k] = slope
    return found


def prod_vjp(g, x, *, axis=None, keepdims=False):
    rows = x.reshape(-1) if axis is None else np.moveaxis(x, axis, -1)
    upstream = g.reshape(rows.shape[:-1])
    d = np.empty(rows.shape)
    for i in range(rows.shape[-1]):
        d[..., i] = upstream * slopes(rows, i)[..., -1]
    return (d.reshape(x.shape) if axis is None else np.moveaxis(d, -1, axis),)


def cumprod_vjp(g, x, *, axis):
    rows, upstream = np.moveaxis(x, axis, -1), np.moveaxis(g, axis, -1)
    d = np.empty(rows.shape)
    for i in range(rows.shape[-1]):
        d[..., i] = (upstream * slopes(rows, i)).sum(axis=-1)
    return (np.moveaxis(d, -1, axis),)
