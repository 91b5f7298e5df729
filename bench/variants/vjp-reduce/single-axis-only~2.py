import numpy as np


def expand(g, x, axis, keepdims):
    if axis is None or keepdims:
        return g * np.ones_like(x)
    shape = list(x.shape)
    shape[axis] = 1
    return g.reshape(shape) * np.ones_like(x)


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
    norm = np.sqrt(np.sum(x**2, axis=axis, keepdims=True))
    safe = np.where(norm == 0, 1, norm)
    return (expand(g, x, axis, keepdims) * x / safe,)
