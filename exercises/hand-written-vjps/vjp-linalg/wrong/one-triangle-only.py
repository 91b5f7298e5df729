"""The gradient with respect to the lower triangle: an entry receives what belongs to its mirror image."""

import numpy as np


def t(m):
    return np.swapaxes(m, -1, -2)


def sum_to(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


def inv_vjp(g, a):
    z = np.linalg.inv(a)
    return (-(t(z) @ g @ t(z)),)


def logabsdet_vjp(g, a):
    return (g[..., None, None] * t(np.linalg.inv(a)),)


def cholesky_vjp(g, a):
    n = a.shape[-1]
    c = np.linalg.cholesky(a)
    phi = np.tril(t(c) @ g) * (1 - 0.5 * np.eye(n))
    z = np.linalg.inv(c)
    s = t(z) @ phi @ z
    return (np.tril(s + t(s)) * (1 - 0.5 * np.eye(n)),)


def solve_vjp(g, a, b):
    x = np.linalg.solve(a, b)
    db = np.linalg.solve(t(a), g)
    da = -db @ t(x)
    return sum_to(da, a.shape), sum_to(db, b.shape)
