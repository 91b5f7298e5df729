"""The guard asks whether the whole array is 0, and not each slice."""

import numpy as np


def expand(g, x, axis, keepdims):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, x.shape)


def count(x, axis):
    if axis is None:
        return x.size
    axes = (axis,) if isinstance(axis, int) else axis
    n = 1
    for a in axes:
        n *= x.shape[a]
    return n


def sum_vjp(g, x, *, axis=None, keepdims=False):
    return (expand(g, x, axis, keepdims).copy(),)


def mean_vjp(g, x, *, axis=None, keepdims=False):
    return (expand(g, x, axis, keepdims) / count(x, axis),)


def var_vjp(g, x, *, axis=None, ddof=0, keepdims=False):
    mean = x.mean(axis=axis, keepdims=True)
    return (expand(g, x, axis, keepdims) * 2 * (x - mean) / (count(x, axis) - ddof),)


def norm_vjp(g, x, *, axis=None, keepdims=False):
    norm = np.linalg.norm(x) if axis is None else np.sqrt((x * x).sum(axis=axis, keepdims=True))
    if np.all(norm == 0):
        return (np.zeros_like(x),)
    return (expand(g, x, axis, keepdims) * (x / norm),)
