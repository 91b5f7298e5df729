"""One block matrix does everything: the upper right corner of the inverse of [[P, M], [0, Q]] is -inv(P) M inv(Q)."""

import numpy as np


def corner(p, m, q):
    """inv(P) M inv(Q), read off the inverse of one larger matrix."""
    n, k = m.shape[-2:]
    batch = np.broadcast_shapes(p.shape[:-2], m.shape[:-2], q.shape[:-2])
    block = np.zeros((*batch, n + k, n + k))
    block[..., :n, :n] = p
    block[..., :n, n:] = -m
    block[..., n:, n:] = q
    return np.linalg.inv(block)[..., :n, n:]


def shared(gradient, shape):
    """The sum over the batch axes along which a matrix was broadcast."""
    added = gradient.ndim - len(shape)
    stretched = [added + axis for axis, size in enumerate(shape[:-2]) if size == 1]
    return gradient.sum(axis=(*range(added), *stretched), keepdims=True).reshape(shape)


def inv_vjp(g, a):
    return (-corner(a.mT, g, a.mT),)


def logabsdet_vjp(g, a):
    one = np.eye(a.shape[-1])
    return (corner(a.mT, g[..., None, None] * one, one),)


def cholesky_vjp(g, a):
    c = np.linalg.cholesky(a)
    m = np.tril(c.mT @ np.tril(g))
    da = corner(c.mT, m - np.eye(a.shape[-1]) * m / 2, c)
    return ((da + da.mT) / 2,)


def solve_vjp(g, a, b):
    one = np.eye(b.shape[-1])
    x, db = corner(a, b, one), corner(a.mT, g, one)
    return shared(-db @ x.mT, a.shape), shared(db, b.shape)
