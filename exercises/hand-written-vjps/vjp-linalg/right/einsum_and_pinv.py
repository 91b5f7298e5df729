"""Every product is an einsum, every inverse a pseudo-inverse, and Phi multiplies by a table of weights."""

import numpy as np


def sums_over_copies(full, shape):
    while full.ndim > len(shape):
        full = np.add.reduce(full, axis=0)
    for axis in range(len(shape) - 2):
        if shape[axis] == 1 and full.shape[axis] != 1:
            full = np.add.reduce(full, axis=axis, keepdims=True)
    return full


def inv_vjp(g, a):
    z = np.linalg.pinv(a)
    return (-np.einsum("...ki,...kl,...jl->...ij", z, g, z),)


def logabsdet_vjp(g, a):
    size = np.abs(a).max(axis=(-2, -1), keepdims=True)  # the smallest singular value that counts depends on the size
    return (np.einsum("...,...ji->...ij", g, np.linalg.pinv(a / size)) / size,)


def cholesky_vjp(g, a):
    n = a.shape[-1]
    weights = np.tri(n) - np.identity(n) / 2
    c = np.linalg.cholesky(a)
    z = np.linalg.pinv(c)
    phi = weights * np.einsum("...ki,...kj->...ij", c, g)
    both = phi + np.moveaxis(phi, -1, -2)
    return (0.5 * np.einsum("...ki,...kl,...lj->...ij", z, both, z),)


def solve_vjp(g, a, b):
    z = np.linalg.pinv(a)
    x = np.einsum("...ij,...jk->...ik", z, b)
    db = np.einsum("...ji,...jk->...ik", z, g)
    da = -np.einsum("...ik,...jk->...ij", db, x)
    return sums_over_copies(da, a.shape), sums_over_copies(db, b.shape)
