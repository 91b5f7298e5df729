"""Copies are made by a product with ones; the variance is the quadratic form of a centering matrix."""

import numpy as np


def membership(x, axis):
    """One row for each slice and one column for each entry: 1 where the entry belongs to the slice."""
    number = np.arange(x.size).reshape(x.shape)
    if axis is None:
        return np.ones((1, x.size))
    first = number.min(axis=axis, keepdims=True, initial=x.size)
    owner = np.broadcast_to(first, x.shape).ravel()
    return (first.reshape(-1, 1) == owner).astype(float)


def pulled(g, x, table):
    return (g.reshape(1, -1) @ table).reshape(x.shape)


def sum_vjp(g, x, *, axis=None, keepdims=False):
    return (pulled(g, x, membership(x, axis)),)


def mean_vjp(g, x, *, axis=None, keepdims=False):
    table = membership(x, axis)
    return (pulled(g, x, table / np.maximum(table.sum(axis=1, keepdims=True), 1)),)


def var_vjp(g, x, *, axis=None, ddof=0, keepdims=False):
    table = membership(x, axis)
    n = table[0].sum()
    centering = np.eye(x.size) - table.T @ table / n
    return (pulled(g, x, table) * (centering @ x.ravel() * (2 / (n - ddof))).reshape(x.shape),)


def norm_vjp(g, x, *, axis=None, keepdims=False):
    table = membership(x, axis)
    r = np.sqrt(table @ np.square(x).ravel())
    inverse = np.array([1 / length if length else 0.0 for length in r])
    return (pulled(g.ravel() * inverse, x, table) * x,)
