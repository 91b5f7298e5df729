# Held out. Mistake: norm_vjp adds 1e-12 under the square root to avoid 0 / 0, which makes the gradient of slices with a small norm far too small.
import numpy as np


def _keep(g, x, axis, keepdims):
    if keepdims:
        return g
    if axis is None:
        return np.reshape(g, (1,) * x.ndim)
    axis = (axis,) if np.isscalar(axis) else axis
    for a in sorted(a % x.ndim for a in axis):
        g = np.expand_dims(g, a)
    return g


def sum_vjp(g, x, *, axis=None, keepdims=False):
    g = _keep(g, x, axis, keepdims)
    return (g * np.ones_like(x),)


def mean_vjp(g, x, *, axis=None, keepdims=False):
    g = _keep(g, x, axis, keepdims)
    per_slice = x.size // g.size if g.size else 1
    return (g * np.ones_like(x) / max(per_slice, 1),)


def var_vjp(g, x, *, axis=None, ddof=0, keepdims=False):
    g = _keep(g, x, axis, keepdims)
    N = x.size // g.size
    # the path through the mean contributes sum(x - m) = 0
    return (2 * g * (x - np.mean(x, axis=axis, keepdims=True)) / (N - ddof),)


def norm_vjp(g, x, *, axis=None, keepdims=False):
    g = _keep(g, x, axis, keepdims)
    norm = np.sqrt(np.sum(x ** 2, axis=axis, keepdims=True) + 1e-12)
    return (g * x / norm,)
