"""The transpose of a gradient that is not symmetric."""

import numpy as np
from numpy.linalg import cholesky, inv, solve


def unstretch(full, shape):
    lead = full.ndim - len(shape)
    axes = [*range(lead), *(lead + n for n in range(len(shape)) if shape[n] == 1)]
    return full.sum(axis=tuple(axes)).reshape(shape)


def inv_vjp(g, a):
    at = np.moveaxis(a, -1, -2)
    left = solve(at, g)
    right = solve(a, np.moveaxis(left, -1, -2))
    return (-np.moveaxis(right, -1, -2),)


def logabsdet_vjp(g, a):
    scale = g.reshape(g.shape + (1, 1))
    return (scale * inv(np.moveaxis(a, -1, -2)),)


def cholesky_vjp(g, a):
    c = cholesky(a)
    ct = np.moveaxis(c, -1, -2)
    m = np.tril(np.matmul(ct, g))
    index = np.arange(a.shape[-1])
    m[..., index, index] /= 2
    half = solve(ct, m)
    return (solve(ct, np.moveaxis(half, -1, -2)),)


def solve_vjp(g, a, b):
    ai = inv(a)
    x = ai @ b
    w = np.einsum("...ji,...jk->...ik", ai, g)
    da = np.einsum("...ik,...jk->...ij", -w, x)
    return unstretch(da, a.shape), unstretch(w, b.shape)
