"""Every slice is visited by itself, through an index with full slices at the reduced axes."""

import numpy as np


def visit(rule, g, x, axis):
    axes = set(range(x.ndim)) if axis is None else {a % x.ndim for a in np.atleast_1d(axis).tolist()}
    kept = [1 if n in axes else size for n, size in enumerate(x.shape)]
    upstream, dx = np.reshape(g, kept), np.empty(x.shape)
    for index in np.ndindex(*kept):
        where = tuple(slice(None) if n in axes else i for n, i in enumerate(index))
        dx[where] = rule(float(upstream[index]), x[where])
    return (dx,)


def sum_vjp(g, x, *, axis=None, keepdims=False):
    return visit(lambda u, v: u, g, x, axis)


def mean_vjp(g, x, *, axis=None, keepdims=False):
    return visit(lambda u, v: u / max(v.size, 1), g, x, axis)


def var_vjp(g, x, *, axis=None, ddof=0, keepdims=False):
    """Through the mean of the squares: d(sum x^2 - N m^2) is 2 x - 2 m."""
    return visit(lambda u, v: u / (v.size - ddof) * (2 * v - 2 * v.mean()), g, x, axis)


def norm_vjp(g, x, *, axis=None, keepdims=False):
    return visit(lambda u, v: u * v / np.linalg.norm(v) if v.any() else 0.0, g, x, axis)
