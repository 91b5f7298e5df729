"""A slice with zeros is treated like one with a single zero, slice by slice."""

import numpy as np


def prod_vjp(g, x, *, axis=None, keepdims=False):
    rows = x.reshape(1, -1) if axis is None else np.moveaxis(x, axis, -1)
    out = np.zeros(rows.shape)
    for place, upstream in zip(np.ndindex(*rows.shape[:-1]), g.reshape(-1)):
        row = rows[place]
        zeros = np.flatnonzero(row == 0)
        if len(zeros):
            out[place][zeros] = upstream * row[row != 0].prod()
        else:
            out[place] = upstream * row.prod() / row
    return (out.reshape(x.shape) if axis is None else np.moveaxis(out, -1, axis),)


def cumprod_vjp(g, x, *, axis):
    xs, gs = np.moveaxis(x, axis, 0), np.moveaxis(g, axis, 0)
    out = np.zeros(xs.shape)
    for i in range(len(xs)):
        for k in range(i, len(xs)):
            out[i] += gs[k] * np.delete(xs[: k + 1], i, axis=0).prod(axis=0)
    return (np.moveaxis(out, 0, axis),)
