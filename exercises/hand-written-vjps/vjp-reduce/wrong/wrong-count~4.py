"""N is computed as x.size // g.size, which divides by 0 if an axis that is kept has size 0."""

import numpy as np


def insert_axes(g, axis, keepdims):
    if axis is None or keepdims:
        return g
    return np.expand_dims(g, axis=axis)


def sum_vjp(g, x, *, axis=None, keepdims=False):
    g = insert_axes(g, axis, keepdims)
    return (np.broadcast_to(g, x.shape),)


def mean_vjp(g, x, *, axis=None, keepdims=False):
    n = x.size // g.size
    g = insert_axes(g, axis, keepdims)
    return (np.broadcast_to(g, x.shape) / n,)


def var_vjp(g, x, *, axis=None, ddof=0, keepdims=False):
    n = x.size // g.size
    g = insert_axes(g, axis, keepdims)
    mean = np.mean(x, axis=axis, keepdims=True)
    dx = 2 * (x - mean) / (n - ddof)
    return (dx * g,)


def norm_vjp(g, x, *, axis=None, keepdims=False):
    g = insert_axes(g, axis, keepdims)
    squares = np.sum(x * x, axis=axis, keepdims=True)
    inverse = np.zeros_like(squares)
    inverse[squares > 0] = squares[squares > 0] ** -0.5
    return (g * x * inverse,)
