# Held out. Mistake: var_vjp divides by N instead of N - ddof, so the gradient of the variance is too small as soon as ddof is not 0.
# True: biased-vs-unbiased
import numpy as np


def _axes(x, axis):
    if axis is None:
        return tuple(range(x.ndim))
    if isinstance(axis, tuple):
        return tuple(a % x.ndim for a in axis)
    return (axis % x.ndim,)


def _expand(g, x, axis):
    axes = _axes(x, axis)
    return np.reshape(g, [1 if i in axes else n for i, n in enumerate(x.shape)])


def _count(x, axis):
    n = 1
    for a in _axes(x, axis):
        n *= x.shape[a]
    return n


def sum_vjp(g, x, *, axis=None, keepdims=False):
    return (np.broadcast_to(_expand(g, x, axis), x.shape).copy(),)


def mean_vjp(g, x, *, axis=None, keepdims=False):
    n = _count(x, axis)
    if n == 0:
        return (np.zeros(x.shape),)
    return (np.broadcast_to(_expand(g, x, axis) / n, x.shape).copy(),)


def var_vjp(g, x, *, axis=None, ddof=0, keepdims=False):
    n = _count(x, axis)
    centred = x - x.mean(axis=axis, keepdims=True)
    return (_expand(g, x, axis) * 2.0 * centred / n,)


def norm_vjp(g, x, *, axis=None, keepdims=False):
    r = np.sqrt((x * x).sum(axis=axis, keepdims=True))
    safe = np.where(r == 0, 1.0, r)
    return (_expand(g, x, axis) * (x / safe),)
